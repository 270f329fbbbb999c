"""A BM25 index of texts that are read one after the other, as the files that `bm25s` maps into memory.

While it is built, memory holds the vocabulary, the length of each text and one block of postings, however many texts
there are: blocks are sorted by term and put aside in a file, then merged some terms at a time. Scores are those that
`bm25s` itself gives (Lucene's variant; Lù, 2024), to the bit.
"""

from __future__ import annotations

import json
import math
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from types import TracebackType
from typing import IO, Any

import bm25s
import numpy as np
from numpy.typing import NDArray

from handrail.stores.arrays import Rows

K1, B, METHOD = 1.5, 0.75, "lucene"
BLOCK = 1 << 20
"""Words that are sorted at once."""
MERGED = 1 << 21
"""Postings that are merged at once; those of one term always are."""
POSTING = np.dtype([("text", "<i4"), ("times", "<i4")])
Ints = NDArray[Any]


@dataclass(frozen=True, slots=True)
class _Block:
    """Postings in the scratch file, by term and text."""

    terms: Ints
    """`(n,)`, ascending."""
    starts: Ints
    """`(n + 1,)`: where the postings of each term begin, counted from the block's first."""
    at: int
    """Bytes before the block."""


class Postings:
    """Close it, or use it as a context: it has a scratch file."""

    def __init__(self) -> None:
        self._vocabulary: dict[str, int] = {}
        self._lengths = array("i")
        self._terms = array("i")
        """Of the texts that no block holds yet, one after the other."""
        self._blocked = 0
        """Texts that blocks hold."""
        self._blocks: list[_Block] = []
        self._scratch: IO[bytes] = TemporaryFile()  # noqa: SIM115 - closed by `close`

    def __enter__(self) -> Postings:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._scratch.close()

    def add(self, terms: Iterable[str]) -> None:
        """The next text."""
        vocabulary, before = self._vocabulary, len(self._terms)
        self._terms.extend([vocabulary.setdefault(term, len(vocabulary)) for term in terms])
        self._lengths.append(len(self._terms) - before)
        if len(self._terms) >= BLOCK:
            self._sort()

    def _sort(self) -> None:
        terms = np.frombuffer(self._terms, dtype=np.int32)
        lengths = np.asarray(self._lengths[self._blocked :])
        texts = np.repeat(np.arange(self._blocked, len(self._lengths)), lengths)
        pairs, times = np.unique(terms.astype(np.int64) << 32 | texts, return_counts=True)
        found, starts = np.unique(pairs >> 32, return_index=True)
        postings = np.empty(len(pairs), dtype=POSTING)
        postings["text"], postings["times"] = pairs & 0xFFFFFFFF, times
        at = self._scratch.seek(0, 2)
        self._scratch.write(postings.tobytes())
        self._blocks.append(_Block(found.astype(np.int32), np.append(starts, len(pairs)).astype(np.int32), at))
        self._terms, self._blocked = array("i"), len(self._lengths)

    def write(self, folder: Path) -> bool:
        """Nothing is written, and the answer is no, where no text has a term: BM25 divides by the mean length."""
        if not self._vocabulary:
            return False
        if self._terms:
            self._sort()
        folder.mkdir(parents=True, exist_ok=True)
        counts = np.zeros(len(self._vocabulary), dtype=np.int64)
        for block in self._blocks:
            counts[block.terms] += np.diff(block.starts)
        total = len(self._lengths)
        ends = np.concatenate([[0], np.cumsum(counts)])
        idf = np.array([math.log(1 + (total - n + 0.5) / (n + 0.5)) for n in counts.tolist()], dtype=np.float32)
        lengths = np.asarray(self._lengths)
        weights = K1 * ((1 - B) + B * lengths / lengths.mean())
        names = ("data.csc.index.npy", "indices.csc.index.npy")
        with Rows(folder / names[0], "<f4") as scores, Rows(folder / names[1], "<i4") as texts:
            for terms, postings in self._merged(ends):
                times = postings["times"].astype(np.float32)
                scores.add((idf[terms] * (times / (weights[postings["text"]] + times))).astype(np.float32))
                texts.add(postings["text"])
        np.save(folder / "indptr.csc.index.npy", ends)
        (folder / "vocab.index.json").write_text(json.dumps(self._vocabulary, ensure_ascii=False), encoding="utf-8")
        told = {"k1": K1, "b": B, "delta": 0.5, "method": METHOD, "idf_method": METHOD, "dtype": "float32"}
        told |= {"int_dtype": "int32", "num_docs": total, "version": bm25s.__version__, "backend": "numpy"}
        (folder / "params.index.json").write_text(json.dumps(told))
        return True

    def _merged(self, ends: Ints) -> Iterator[tuple[Ints, Ints]]:
        """Terms and postings, by term and text: `MERGED` at a time, or one term's. `ends` count those up to a term."""
        first = 0
        while first < len(ends) - 1:
            last = max(first + 1, int(np.searchsorted(ends, ends[first] + MERGED, side="right")) - 1)
            parts = [self._part(block, first, last) for block in self._blocks]
            terms = np.concatenate([terms for terms, _ in parts])
            order = np.argsort(terms, kind="stable")
            yield terms[order], np.concatenate([postings for _, postings in parts])[order]
            first = last

    def _part(self, block: _Block, first: int, last: int) -> tuple[Ints, Ints]:
        low, high = np.searchsorted(block.terms, [first, last])
        begin, end = int(block.starts[low]), int(block.starts[high])
        self._scratch.seek(block.at + begin * POSTING.itemsize)
        read = self._scratch.read((end - begin) * POSTING.itemsize)
        terms = np.repeat(block.terms[low:high], np.diff(block.starts[low : high + 1]))
        return terms, np.frombuffer(read, dtype=POSTING)
