"""The nearest of many vectors, from one file that is mapped into memory: FAISS's inverted lists.

Vectors are grouped around centres, and a query is compared with the groups whose centres are nearest to it. Each number
of a vector takes one byte; who needs the exact cosine compares the best with the vectors themselves.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handrail.errors import MissingExtra
from handrail.types import Vectors

try:
    import faiss
except ModuleNotFoundError as error:
    raise MissingExtra("the index in FAISS", "faiss") from error

Rows = NDArray[np.int64]

PER_CENTRE = 40
"""Vectors that a centre is fitted to."""
ROUNDS = 8
PROBES = 32
"""Groups that a query is compared with, where no filter leaves out some of their vectors."""


def centres(count: int) -> int:
    """The balance of finding the nearest groups and of comparing what is in them."""
    return max(1, round(2 * math.sqrt(count)))


def sampled(count: int) -> int:
    """Vectors that `build` needs to fit the centres of `count`."""
    return min(count, PER_CENTRE * centres(count))


def build(path: Path, count: int, sample: Vectors, pages: Iterable[tuple[Rows, Vectors]]) -> None:
    """Write the file for `count` vectors, L2-normalised, which come in `pages`; `sample` is some of them.

    The codes are in memory meanwhile: a byte a number.
    """
    width = sample.shape[1]
    flat = faiss.IndexFlatIP(width)
    kind = faiss.ScalarQuantizer.QT_8bit
    index = faiss.IndexIVFScalarQuantizer(flat, width, centres(count), kind, faiss.METRIC_INNER_PRODUCT)
    index.cp.niter, index.cp.spherical = ROUNDS, True
    index.train(sample)
    for rows, vectors in pages:
        index.add_with_ids(vectors, rows)
    scratch = path.with_name(f"{path.name}.part")
    faiss.write_index(index, str(scratch))
    scratch.replace(path)


class Chosen:
    """Rows that a filter leaves, as a search takes them."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        bits = np.zeros(int(rows.max(initial=0)) + 1, dtype=bool)
        bits[rows] = True
        self.selector = faiss.IDSelectorBitmap(np.packbits(bits, bitorder="little"))


class Inverted:
    def __init__(self, path: Path) -> None:
        """Nothing is read before it is searched: the file stays where it is."""
        self._index = faiss.read_index(str(path), faiss.IO_FLAG_MMAP_IFC)

    def nearest(self, vector: Vectors, k: int, chosen: Chosen | None = None) -> Rows:
        """Up to `k` rows, best first. The fewer are chosen, the more groups are looked through for them."""
        share = len(chosen.rows) / self._index.ntotal if chosen is not None else 1.0
        probes = min(self._index.nlist, math.ceil(PROBES / share))
        parameters = faiss.SearchParametersIVF(nprobe=probes, sel=chosen.selector if chosen is not None else None)
        _, rows = self._index.search(vector[None], k, params=parameters)
        found: Rows = rows[0][rows[0] >= 0]
        return found
