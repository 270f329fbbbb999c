"""What models said once is kept on disk: a second look at the same question is free, and so is an interrupted run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Hashable, Iterable, Sequence
from pathlib import Path
from typing import Generic, TypeVar
from zipfile import BadZipFile

import numpy as np

from handrail.models import Logit
from handrail.types import Vectors

K = TypeVar("K", bound=Hashable)
KEPT_EVERY = 400


class Remembered(Generic[K]):
    """`run` with its answers kept: one float32 row per item. A damaged or foreign file is started anew."""

    def __init__(self, file: Path, run: Callable[[list[K]], Iterable[Vectors | float]]) -> None:
        self._file = file
        self._run = run
        self._rows: dict[str, Vectors] = {}
        self._unsaved = 0
        try:
            with file.open("rb") as stream, np.load(stream, allow_pickle=False) as stored:
                self._rows = dict(zip(stored["keys"].tolist(), stored["rows"], strict=True))
        except (OSError, ValueError, KeyError, EOFError, BadZipFile):
            self._rows = {}

    def __call__(self, items: Sequence[K]) -> list[Vectors]:
        """`(width,)` per item."""
        keys = [_key(item) for item in items]
        missing = {key: item for key, item in zip(keys, items, strict=True) if key not in self._rows}
        if missing:
            for key, row in zip(missing, self._run(list(missing.values())), strict=True):
                self._rows[key] = np.atleast_1d(np.asarray(row, dtype=np.float32))
            self._unsaved += len(missing)
            if self._unsaved >= KEPT_EVERY:
                self.save()
        return [self._rows[key] for key in keys]

    def logits(self, items: Sequence[K]) -> list[float]:
        """Of rows that `as_row` made."""
        return [Logit(row[0], float(row[1])) if len(row) > 1 else float(row[0]) for row in self(items)]

    def save(self) -> None:
        """Beside, then renamed: never half a file."""
        if not self._unsaved:
            return
        self._file.parent.mkdir(parents=True, exist_ok=True)
        beside = self._file.with_suffix(".part.npz")
        np.savez(beside, keys=np.asarray(list(self._rows)), rows=np.stack(list(self._rows.values())))
        beside.replace(self._file)
        self._unsaved = 0


def as_row(logit: float) -> Vectors:
    """The logit, and what was read beside it where something was."""
    reading = logit.reading if isinstance(logit, Logit) else None
    return np.asarray([logit] if reading is None else [logit, reading], dtype=np.float32)


def _key(item: Hashable) -> str:
    return hashlib.sha256(json.dumps(item, ensure_ascii=False).encode()).hexdigest()[:24]
