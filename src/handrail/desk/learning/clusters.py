"""Questions that ask the same, found in two deterministic steps.

First leader clustering (Hartigan 1975, chapter 3): one pass in order of arrival against a strict threshold. Later
questions move none of the earlier, so it can go on where it stopped. Then average-linkage merging (Sokal and Michener
1958) of the few groups that gives, which finds the same question in other words: a mean over many pairs is steadier
than one cosine.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from handrail.types import Vectors

START_ROWS = 64
BLOCK = 64
MOST_MERGED = 2000
"""Groups that are looked at for merging, the largest first; the others stay as they are."""


class Leaders:
    """Groups around the mean of their members; a question that is near no mean starts its own."""

    def __init__(self, threshold: float, dimensions: int) -> None:
        """`threshold`: cosine to a group's mean from which a question belongs to it."""
        self._threshold = threshold
        self._sums = np.zeros((START_ROWS, dimensions), dtype=np.float32)
        self._means = np.zeros((START_ROWS, dimensions), dtype=np.float32)
        self.sizes: list[int] = []

    def add(self, vectors: Vectors) -> list[int]:
        """The group of each row of `(n, d)` float32 L2-normalised vectors; the first of equally near ones."""
        return [
            group for start in range(0, len(vectors), BLOCK) for group in self._block(vectors[start : start + BLOCK])
        ]

    def _block(self, vectors: Vectors) -> list[int]:
        """One product for the whole block; only means that the block itself moves are looked at again."""
        known = len(self.sizes)
        cosines = vectors @ self._means[:known].T
        moved: list[int] = []
        groups = []
        for row, vector in zip(cosines, vectors, strict=True):
            own = np.full(len(self.sizes), -np.inf, dtype=np.float32)
            own[:known] = row
            if moved:
                own[moved] = self._means[moved] @ vector
            best = int(np.argmax(own)) if len(own) else 0
            group = best if len(own) and own[best] >= self._threshold else self._new()
            self._join(group, vector)
            if group not in moved:
                moved.append(group)
            groups.append(group)
        return groups

    def _new(self) -> int:
        group = len(self.sizes)
        if group >= len(self._sums):
            self._sums = np.concatenate([self._sums, np.zeros_like(self._sums)])
            self._means = np.concatenate([self._means, np.zeros_like(self._means)])
        self.sizes.append(0)
        return group

    def _join(self, group: int, vector: Vectors) -> None:
        self.sizes[group] += 1
        self._sums[group] += vector
        length = float(np.linalg.norm(self._sums[group]))
        self._means[group] = self._sums[group] / length if length else 0.0

    @property
    def sums(self) -> Vectors:
        """`(groups, d)` float32: the sum of each group's vectors."""
        return np.array(self._sums[: len(self.sizes)], dtype=np.float32)


def cluster(vectors: Vectors, strict: float, loose: float) -> Sequence[int]:
    """The group of each row of `(n, d)` L2-normalised vectors, numbered in order of first member.

    `strict`: cosine to a mean for the first step; `loose`: mean cosine over pairs for the second.
    """
    if not len(vectors):
        return []
    leaders = Leaders(strict, vectors.shape[1])
    fine = leaders.add(vectors)
    merged = merge(leaders.sums, leaders.sizes, loose)
    numbers: dict[int, int] = {}
    return [numbers.setdefault(merged[group], len(numbers)) for group in fine]


def merge(sums: Vectors, sizes: Sequence[int], threshold: float) -> list[int]:
    """Average linkage of groups given by the sum of their vectors: for each, the group it ends up in.

    The two groups with the highest mean cosine over their pairs are joined until none reaches `threshold`.
    """
    order = sorted(range(len(sizes)), key=lambda group: (-sizes[group], group))[:MOST_MERGED]
    counts = np.asarray([sizes[group] for group in order], dtype=np.float64)
    dots = sums[order].astype(np.float64) @ sums[order].astype(np.float64).T
    links = _means(dots, counts)
    parent = list(range(len(sizes)))
    best = links.argmax(axis=1) if len(order) else np.zeros(0, dtype=np.intp)
    while len(order):
        values = links[np.arange(len(order)), best]
        keep = int(values.argmax())
        if values[keep] < threshold:
            break
        keep, gone = sorted((keep, int(best[keep])))
        parent[order[gone]] = order[keep]
        dots[keep] += dots[gone]
        dots[:, keep] += dots[:, gone]
        counts[keep] += counts[gone]
        links[keep] = np.where(np.isneginf(links[keep]), -np.inf, dots[keep] / (counts[keep] * counts))
        links[:, keep] = links[keep]
        links[gone], links[:, gone] = -np.inf, -np.inf
        _look_again(links, best, keep, gone)
    return [_root(parent, group) for group in range(len(sizes))]


def _means(dots: NDArray[np.float64], counts: NDArray[np.float64]) -> NDArray[np.float64]:
    links: NDArray[np.float64] = dots / np.outer(counts, counts)
    np.fill_diagonal(links, -np.inf)
    return links


def _look_again(links: NDArray[np.float64], best: NDArray[np.intp], keep: int, gone: int) -> None:
    """Nearest neighbours that the join may have changed."""
    stale = (best == keep) | (best == gone)
    stale[[keep, gone]] = True
    best[stale] = links[stale].argmax(axis=1)
    rows = np.arange(len(best))
    nearer = links[rows, keep] > links[rows, best]
    best[nearer] = keep


def _root(parent: Sequence[int], group: int) -> int:
    while parent[group] != group:
        group = parent[group]
    return group
