"""What ten million passages would take: each figure fitted to the sizes that were measured.

Inverted lists of `n` vectors have `2 √n` groups of `√n / 2` each. A query is compared with all centres and with the
vectors of 32 groups, so its time grows with `√n`; BM25 scores every passage, so its time grows with `n`. Memory and
start grow with `n`. Assumed: the same machine, vectors of the same width, as alike as those measured, and files that
stay in the memory of the system once they were read (see "mapped files"; otherwise each search waits for the disk).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy.optimize import nnls

from eval.scale.table import Row, flat
from handrail.stores.faiss import COMPARED

FORETOLD = 10_000_000
FEWEST = 2
"""Sizes that a line is fitted to."""


@dataclass(frozen=True, slots=True)
class Law:
    says: str
    figure: str
    unit: str
    shape: Callable[[float], float]
    written: str


LAWS = (
    Law("memory of the process, vectors", "serve_mb", "MB", float, "n"),
    Law("mapped files, vectors", "mapped_mb", "MB", float, "n"),
    Law("start, vectors", "start_s", "s", float, "n"),
    Law("nearest 50, processor", "vector_cpu_ms", "ms", sqrt, "√n"),
    Law("memory of the process, passages", "snapshot_mb", "MB", float, "n"),
    Law("start, passages", "snapshot_start_s", "s", float, "n"),
    Law("memory of the process, keywords alone", "keyword_mb", "MB", float, "n"),
    Law("start, keywords alone", "keyword_start_s", "s", float, "n"),
    Law("keyword index on disk", "keywords_disk_mb", "MB", float, "n"),
    Law("keywords, processor", "keyword_cpu_ms", "ms", float, "n"),
)


def told(rows: Sequence[Row], index: str = "faiss") -> str:
    """Empty where too few sizes of the index were measured."""
    measured = [(count, flat(stages)) for name, count, stages in rows if name == index and count > COMPARED]
    lines = [
        line for law in LAWS if (line := _line(law, [(n, one[law.figure]) for n, one in measured if law.figure in one]))
    ]
    if not lines:
        return ""
    head = f"| figure | fitted to n passages | largest error | {FORETOLD:,} passages |\n|---|---|---|---|"
    return "\n".join((f"\nForetold for {index}:\n", head, *lines))


def _line(law: Law, points: Sequence[tuple[int, float]]) -> str:
    if len(points) < FEWEST:
        return ""
    fixed, growing = fitted([law.shape(n) for n, _ in points], [value for _, value in points])
    off = max(abs(fixed + growing * law.shape(n) - value) / value for n, value in points)
    most = fixed + growing * law.shape(FORETOLD)
    return (
        f"| {law.says} | {fixed:.3g} + {growing:.3g} · {law.written} {law.unit} | {off:.0%} | {most:,.3g} {law.unit} |"
    )


def fitted(sizes: Sequence[float], values: Sequence[float]) -> tuple[float, float]:
    """What is fixed and what grows with size, neither below 0: the least squares of relative errors."""
    weights = 1 / np.maximum(np.asarray(values, dtype=np.float64), 1e-9)
    scale = max(sizes)
    terms = np.stack([np.ones(len(sizes)), np.asarray(sizes) / scale], axis=1) * weights[:, None]
    (fixed, growing), _ = nnls(terms, np.ones(len(sizes)))
    return float(fixed), float(growing / scale)
