"""A BERT that was taught something more: low-rank changes of some matrices, added to weights that are at hand.

LoRA (Hu et al. 2021): a matrix W becomes W + A B, where A and B together have a few per cent of its numbers. Here the
sum is rounded to int8 again when the model is loaded, so that the changed model runs like the one it was made of.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handrail.models.bert import Matrix, Source, side_by_side
from handrail.models.onnx_graph import Array

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Delta:
    """What was learnt: how many layers stay, and `(in, rank)` and `(rank, out)` by the names of matrices.

    Equal to itself alone, so that models can be kept by it.
    """

    layers: int
    parts: Mapping[str, tuple[Floats, Floats]]


class Tuned:
    """A Source: the lowest layers of another one, some of their matrices changed, without a classifier."""

    def __init__(self, source: Source, delta: Delta) -> None:
        """Raises ValueError where the changes are of another kind of model."""
        if delta.layers > source.layers:
            raise ValueError(f"{delta.layers} layers of a model that has {source.layers}")
        self._source = source
        self._delta = delta
        self.layers = delta.layers
        self.width = source.width

    def vector(self, name: str) -> Floats:
        return self._source.vector(name)

    def rows(self, name: str) -> tuple[Array, float, int] | None:
        return self._source.rows(name)

    def real(self, name: str) -> Floats:
        return self._source.real(name)

    def has(self, name: str) -> bool:
        return not name.startswith(("classifier", "pooler")) and self._source.has(name)

    def matrix(self, *names: str) -> Matrix:
        return side_by_side([self._changed(name) for name in names])

    def _changed(self, name: str) -> Matrix:
        matrix = self._source.matrix(name)
        part = self._delta.parts.get(name)
        if part is None:
            return matrix
        return rounded(matrix.values * matrix.scale + part[0] @ part[1], matrix.bias)


def rounded(real: Floats, bias: Floats) -> Matrix:
    """`(in, out)` in int8, each output by a scale of its own."""
    scale = np.maximum(np.abs(real).max(axis=0), 1e-12) / 127
    return Matrix(np.rint(real / scale).astype(np.int8), scale.astype(np.float32), bias)
