"""Putting a fit in force, and taking it back."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import numpy as np

from handrail.retrieve.tuned import FILE, Fit, Tuned
from handrail.settings import Models
from handrail.tune.run import Result
from handrail.tune.score import Gain
from handrail.types import Vectors

ADAPTER = "adapter-"


def activate(folder: Path, tuned: Tuned, result: Result, generation: str, models: Models, fitted_on: str) -> Path:
    """Write `retrieval.json` and its adapter for what won; processes take it up when they start next."""
    folder.mkdir(parents=True, exist_ok=True)
    adapter = _save_adapter(folder, tuned.adapter) if tuned.adapter is not None else None
    fit = Fit(
        generation=generation,
        embedder=models.embedder,
        reranker=models.reranker,
        late=models.late,
        weights=dict(tuned.weights),
        adapter=adapter,
        effort=tuned.effort,
        fitted_on=fitted_on,
        n=result.made,
        **_decided(tuned, result),
    )
    _write(folder / FILE, (fit.model_dump_json(indent=1) + "\n").encode())
    for old in folder.glob(f"{ADAPTER}*.npz"):
        if old.name != adapter:
            old.unlink(missing_ok=True)
    return folder / FILE


def _decided(tuned: Tuned, result: Result) -> dict[str, Any]:
    """On what, and the figures before and after: those of the weights where they changed, else of the effort."""
    found, times = result.effort, None
    if found is not None and tuned.effort is not None:
        before, after = found.at(found.now), found.at(tuned.effort)
        times = (round(before.milliseconds, 1), round(after.milliseconds, 1))
        won = result.tuned if result.won else None
        if won is None or (won.weights, won.adapter is None) != (tuned.weights, tuned.adapter is None):
            return _figures(found.on, found.n, before.figures, after.figures, after.change) | {"milliseconds": times}
    verdict = result.verdicts[-1]
    return _figures(verdict.on, verdict.n, verdict.before, verdict.after, verdict.gain) | {"milliseconds": times}


def _figures(on: str, n: int, before: dict[str, float], after: dict[str, float], gain: Gain) -> dict[str, Any]:
    ends = (round(gain.low, 4), round(gain.mean, 4), round(gain.high, 4))
    return {"decided_on": f"{on} (n = {n})", "before": before, "after": after, "gain": ends}


def reset(folder: Path) -> bool:
    """Back to the settings; false when nothing was fitted. Gates are left alone."""
    found = [path for path in (folder / FILE, *folder.glob(f"{ADAPTER}*.npz")) if path.is_file()]
    for path in found:
        path.unlink()
    return bool(found)


def _save_adapter(folder: Path, shift: Vectors) -> str:
    """Named by its contents, so that a reader of the old file still finds the old adapter."""
    stored = shift.astype(np.float16)
    name = f"{ADAPTER}{hashlib.sha256(stored.tobytes()).hexdigest()[:12]}.npz"
    beside = folder / f".{name}.part.npz"
    np.savez(beside, map=stored)
    beside.replace(folder / name)
    return name


def _write(path: Path, data: bytes) -> None:
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    beside.write_bytes(data)
    beside.replace(path)
