"""Putting a fit in force, and taking it back."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import numpy as np

from handrail.retrieve.tuned import FILE, Fit, Tuned
from handrail.settings import Models
from handrail.tune.run import Result
from handrail.types import Vectors

ADAPTER = "adapter-"


def activate(folder: Path, tuned: Tuned, result: Result, generation: str, models: Models, fitted_on: str) -> Path:
    """Write `retrieval.json` and its adapter for what won; processes take it up when they start next."""
    folder.mkdir(parents=True, exist_ok=True)
    adapter = _save_adapter(folder, tuned.adapter) if tuned.adapter is not None else None
    decided = result.verdicts[-1]
    gain = decided.gain
    fit = Fit(
        generation=generation,
        embedder=models.embedder,
        reranker=models.reranker,
        late=models.late,
        weights=dict(tuned.weights),
        adapter=adapter,
        fitted_on=fitted_on,
        n=result.made,
        decided_on=f"{decided.on} (n = {decided.n})",
        before=decided.before,
        after=decided.after,
        gain=(round(gain.low, 4), round(gain.mean, 4), round(gain.high, 4)),
    )
    _write(folder / FILE, (fit.model_dump_json(indent=1) + "\n").encode())
    for old in folder.glob(f"{ADAPTER}*.npz"):
        if old.name != adapter:
            old.unlink(missing_ok=True)
    return folder / FILE


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
