"""Leader clustering of questions (Hartigan 1975, chapter 3): one pass, in order, against a fixed threshold.

Questions keep their order of arrival, so adding later ones moves none of the earlier: clustering all of them at once
gives the same groups as clustering them as they come.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from handrail.types import Vectors

START_ROWS = 64


class Leaders:
    """Groups around the mean of their members; a question that is near no mean starts its own."""

    def __init__(self, threshold: float, dimensions: int) -> None:
        """`threshold`: cosine to a group's mean from which a question belongs to it."""
        self._threshold = threshold
        self._sums = np.zeros((START_ROWS, dimensions), dtype=np.float32)
        self._means = np.zeros((START_ROWS, dimensions), dtype=np.float32)
        self.sizes: list[int] = []

    def __len__(self) -> int:
        return len(self.sizes)

    def add(self, vector: Vectors) -> int:
        """`vector`: `(d,)` float32, L2-normalised. The number of its group; the first of equally near ones."""
        group = self._nearest(vector)
        if group is None:
            group = len(self.sizes)
            self._grow(group)
            self.sizes.append(0)
        self.sizes[group] += 1
        self._sums[group] += vector
        length = float(np.linalg.norm(self._sums[group]))
        self._means[group] = self._sums[group] / length if length else 0.0
        return group

    def mean(self, group: int) -> Vectors:
        """`(d,)` float32, L2-normalised."""
        return np.array(self._means[group], dtype=np.float32)

    def _nearest(self, vector: Vectors) -> int | None:
        if not self.sizes:
            return None
        cosines = self._means[: len(self.sizes)] @ vector
        best = int(np.argmax(cosines))
        return best if cosines[best] >= self._threshold else None

    def _grow(self, rows: int) -> None:
        if rows >= len(self._sums):
            self._sums = np.concatenate([self._sums, np.zeros_like(self._sums)])
            self._means = np.concatenate([self._means, np.zeros_like(self._means)])


def cluster(vectors: Vectors, threshold: float) -> Sequence[int]:
    """The group of each row of `(n, d)` vectors, numbered in order of first member."""
    if not len(vectors):
        return []
    leaders = Leaders(threshold, vectors.shape[1])
    return [leaders.add(vector) for vector in vectors]
