"""Features of many rows, and multinomial logistic regression over them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import GroupKFold

from eval.classifier.bases import CachedEmbedder
from eval.classifier.rows import Row
from handrail.classify.cues import skeleton
from handrail.classify.features import (
    BUCKETS,
    DENSE,
    EMBEDDING_SCALE,
    NGRAM_SCALE,
    PATTERN_SCALE,
    PATTERNS,
    Sparse,
    dense_row,
    fold,
    ngrams,
    patterns,
    standardised,
)  # fmt: skip
from handrail.retrieve.topic import TopicProbe
from handrail.types import Label, Vectors

Array = NDArray[Any]
LABELS = tuple(Label)
FOLDS = 3
INT8 = 127


@dataclass(frozen=True, slots=True)
class Raw:
    embeddings: Vectors
    dense: Vectors
    grams: csr_matrix
    patterns: csr_matrix


class Featurizer:
    """Reads messages as `LocalClassifier` does, many at a time."""

    def __init__(self, embedder: CachedEmbedder, bases: Mapping[str, TopicProbe], names: Mapping[str, str]) -> None:
        self.embedder = embedder
        self.bases = bases
        self._names = names
        self.means = np.zeros(DENSE, dtype=np.float32)
        self.scales = np.ones(DENSE, dtype=np.float32)

    def raw(self, rows: Sequence[Row]) -> Raw:
        embeddings = self.embedder.queries([row.text for row in rows])
        dense = np.zeros((len(rows), DENSE), dtype=np.float32)
        grams, shapes = [], []
        for i, row in enumerate(rows):
            folded = fold(row.text, self._names.get(row.company.split("@")[0], ""))
            read = skeleton(folded)
            base = self.bases.get(row.company)
            dense[i] = dense_row(base.features(row.text, embeddings[i]) if base else {}, read)
            grams.append(ngrams(folded))
            shapes.append(patterns(read))
        return Raw(embeddings, dense, _stacked(grams, BUCKETS), _stacked(shapes, PATTERNS))

    def fit(self, raw: Raw) -> None:
        self.means = np.nanmean(raw.dense, axis=0).astype(np.float32)
        self.scales = np.maximum(np.nanstd(raw.dense, axis=0), 1e-6).astype(np.float32)

    def matrix(self, raw: Raw) -> csr_matrix:
        near = standardised(raw.dense, self.means, self.scales)
        parts = (raw.embeddings * EMBEDDING_SCALE, near, raw.grams * NGRAM_SCALE, raw.patterns * PATTERN_SCALE)
        return hstack([csr_matrix(part) for part in parts], format="csr")


@dataclass(frozen=True, slots=True)
class Fitted:
    weights: Array
    """`(features, labels)`, as stored: rounded to 8 bits a column."""
    units: Array
    bias: Array

    def logits(self, matrix: csr_matrix) -> Array:
        found: Array = matrix @ (self.weights.astype(np.float32) * self.units) + self.bias
        return found

    def save(self, path: Path, featurizer: Featurizer, temperature: float) -> None:
        np.savez_compressed(
            path,
            labels=np.asarray([label.value for label in LABELS]),
            weights=self.weights,
            units=self.units.astype(np.float32),
            bias=self.bias.astype(np.float32),
            means=featurizer.means,
            scales=featurizer.scales,
            temperature=np.float32(temperature),
            embedder=np.asarray(featurizer.embedder.name),
        )


def fit(matrix: csr_matrix, rows: Sequence[Row], strength: float) -> Fitted:
    labels = np.asarray([LABELS.index(row.label) for row in rows])
    model = LogisticRegression(C=strength, max_iter=150, tol=3e-3, class_weight="balanced")
    model.fit(matrix, labels, sample_weight=np.asarray([row.weight for row in rows]))
    weights = model.coef_.T
    units = np.abs(weights).max(axis=1, keepdims=True) / INT8
    units = np.maximum(units, np.abs(weights).max() / INT8 / 64).astype(np.float16).astype(np.float32)
    return Fitted(np.rint(weights / units).clip(-INT8, INT8).astype(np.int8), units, model.intercept_)


def out_of_fold(matrix: csr_matrix, rows: Sequence[Row], originals: int, strength: float) -> Array:
    """Logits of the first `originals` rows, each by a model that saw nothing of its group, nor a rough copy of it."""
    logits = np.zeros((originals, len(LABELS)), dtype=np.float64)
    groups = np.asarray([row.group for row in rows])
    for _, test in GroupKFold(FOLDS, shuffle=True, random_state=7).split(groups, groups=groups):
        chosen = np.flatnonzero(~np.isin(groups, np.unique(groups[test])))
        wanted = test[test < originals]
        logits[wanted] = fit(matrix[chosen], [rows[int(i)] for i in chosen], strength).logits(matrix[wanted])
    return logits


def best_temperature(rows: Sequence[Row], logits: Array) -> float:
    labels = [LABELS.index(row.label) for row in rows]
    weights = [row.weight for row in rows]
    grid = np.geomspace(0.3, 4.0, 60)

    def loss(temperature: float) -> float:
        found = probabilities(logits, temperature)
        return float(log_loss(labels, found, sample_weight=weights, labels=range(len(LABELS))))

    return float(min(grid, key=loss))


def probabilities(logits: Array, temperature: float) -> Array:
    scaled = logits / temperature
    exponents = np.exp(scaled - scaled.max(axis=1, keepdims=True))
    shares: Array = exponents / exponents.sum(axis=1, keepdims=True)
    return shares


def _stacked(rows: Sequence[Sparse], width: int) -> csr_matrix:
    starts = np.cumsum([0, *(len(row.buckets) for row in rows)])
    indices = np.concatenate([row.buckets for row in rows])
    values = np.concatenate([row.values for row in rows])
    return csr_matrix((values, indices, starts), shape=(len(rows), width))
