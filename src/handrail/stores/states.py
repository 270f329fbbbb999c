"""What encoders make of passages beside an index: in memory, and on disk by the text it is of.

Late interaction has a vector for every token of every passage, search across languages one for every passage.

A file holds what was read so far, so that a run that was interrupted, or one after a few articles changed, reads only
what is new.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from handrail.types import Vectors

A = TypeVar("A", np.int8, np.float16)
Codes = NDArray[np.int8]
Encode = Callable[[Sequence[str]], Sequence[NDArray[A]]]
"""`(rows, d)` for each text."""
Progress = Callable[[int, int], None]
"""Called with passages read so far and in all."""

FILE = "states.npz"
BATCH = 64
SPARE = 2
"""Times the passages of an index up to which others are kept: who goes back to an earlier version needs them."""
SAVE_EVERY = 1024
"""Passages after which an unfinished run is kept."""


class States:
    """Codes of passages in the order of an index; rows of one passage stand together."""

    def __init__(self, codes: Sequence[Codes]) -> None:
        self._codes = codes
        self._scales = [_scales(one) for one in codes]

    def __len__(self) -> int:
        return len(self._codes)

    def likeness(self, query: Vectors, rows: Sequence[int]) -> NDArray[np.float32]:
        """`(rows,)`: the mean over the query's tokens of each one's greatest cosine to a token of the passage.

        `query` is `(tokens, d)`; `rows` are places of passages in the index.
        """
        mean: NDArray[np.float32] = self.by_token(query, rows).mean(axis=1)
        return mean

    def cosines(self, query: Vectors, row: int) -> NDArray[np.float32]:
        """`(passage's tokens, query's tokens)` of the passage in place `row`."""
        return (self._codes[row].astype(np.float32) @ query.T) * self._scales[row][:, None]

    def by_token(self, query: Vectors, rows: Sequence[int]) -> NDArray[np.float32]:
        """`(rows, tokens)`: of each of the query's tokens the greatest cosine to a token of the passage."""
        if not len(rows):
            return np.zeros((0, len(query)), dtype=np.float32)
        held = [self._codes[row] for row in rows]
        scales = np.concatenate([self._scales[row] for row in rows])
        cosines = (np.concatenate(held).astype(np.float32) @ query.T) * scales[:, None]
        starts = np.cumsum([0, *(len(codes) for codes in held[:-1])])
        best: NDArray[np.float32] = np.maximum.reduceat(cosines, starts, axis=0)
        return best


def read(folder: Path, model: str, texts: Sequence[str], encode: Encode[np.int8], progress: Progress) -> States:
    """States of `texts`, in their order."""
    return States(kept(folder / FILE, model, texts, encode, progress))


def kept(path: Path, model: str, texts: Sequence[str], encode: Encode[A], progress: Progress) -> Sequence[NDArray[A]]:
    """What `encode` makes of `texts`, in their order: from the file at `path` where that has it."""
    keys = [_key(model, text) for text in texts]
    known: dict[bytes, NDArray[A]] = _load(path)
    held = {key: known[key] for key in keys if key in known}
    missing = dict(sorted(((k, t) for k, t in zip(keys, texts, strict=True) if k not in held), key=lambda i: len(i[1])))
    names = list(missing)
    for start in range(0, len(names), BATCH):
        progress(start, len(names))
        batch = names[start : start + BATCH]
        held |= zip(batch, encode([missing[key] for key in batch]), strict=True)
        if (start + BATCH) % SAVE_EVERY == 0:
            _save(path, known | held)
    stored = held if len(known) > SPARE * len(held) else known | held
    if missing or len(stored) < len(known):
        progress(len(names), len(names))
        _save(path, stored)
    return [held[key] for key in keys]


def _scales(codes: Codes) -> NDArray[np.float32]:
    """What each code is to be multiplied by to have the length 1."""
    lengths = np.linalg.norm(codes.astype(np.float32), axis=1)
    return np.asarray(1 / np.maximum(lengths, 1e-12), dtype=np.float32)


def _key(model: str, text: str) -> bytes:
    return hashlib.sha256(f"{model}\n{text}".encode()).digest()[:16]


def _load(path: Path) -> dict[bytes, NDArray[A]]:
    """Empty without a file, and where it is damaged: all is then read again."""
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as stored:
            keys, lengths, codes = stored["keys"], stored["lengths"], stored["codes"]
        pieces = np.split(codes, np.cumsum(lengths)[:-1])
        return {key.tobytes(): piece for key, piece in zip(keys, pieces, strict=True)}
    except (OSError, ValueError, KeyError, EOFError, BadZipFile):
        return {}


def _save(path: Path, held: Mapping[bytes, NDArray[A]]) -> None:
    """Written beside, then renamed: readers see the old or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=".part-", suffix=".npz")
    try:
        with os.fdopen(handle, "wb") as stream:
            np.savez(
                stream,
                keys=np.frombuffer(b"".join(held), dtype=np.uint8).reshape(-1, 16),
                lengths=np.asarray([len(codes) for codes in held.values()], dtype=np.int32),
                codes=np.concatenate(list(held.values())) if held else np.zeros((0, 1), dtype=np.int8),
            )
        Path(scratch).replace(path)
    finally:
        Path(scratch).unlink(missing_ok=True)
