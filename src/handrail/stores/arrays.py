"""Arrays in NumPy's files, row by row, so that none is in memory twice."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from handrail.types import Vectors

BLOCK = 10_000
"""Rows that are read at once."""


class Rows:
    """An array that is written from its first row to its last."""

    def __init__(self, path: Path, kind: str) -> None:
        """`kind` as NumPy writes it, such as `<f2`."""
        self._out = path.open("wb")
        self._kind = kind
        self._shape: tuple[int, ...] | None = None
        self.count = 0

    def _head(self, shape: tuple[int, ...]) -> None:
        """NumPy leaves room in it for any number of rows."""
        self._out.seek(0)
        npy.write_array_header_1_0(self._out, {"descr": self._kind, "fortran_order": False, "shape": shape})

    def __enter__(self) -> Rows:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._head((self.count, *(self._shape if self._shape is not None else (0,))))
        self._out.close()

    def add(self, rows: NDArray[Any]) -> None:
        """`(n, …)`; those after the first are as wide as that."""
        if self._shape is None:
            self._shape = rows.shape[1:]
            self._head((0, *self._shape))
        self._out.write(np.ascontiguousarray(rows, dtype=self._kind).data)
        self.count += len(rows)


def read_floats(path: Path) -> Vectors:
    """An array as float32, however it is kept. Raises ValueError and OSError."""
    with path.open("rb") as file:
        npy.read_magic(file)
        shape, _, kind = npy.read_array_header_1_0(file)
        read = np.empty(shape, dtype=np.float32)
        for start in range(0, len(read), BLOCK):
            rows = read[start : start + BLOCK]
            rows[...] = np.fromfile(file, dtype=kind, count=rows.size).reshape(rows.shape)
    return read
