"""Features of many rows; multinomial logistic regression and a small network over them, mixed and calibrated."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from handrail.models.embedding import Embedding
from handrail.retrieve.topic import TopicProbe
from handrail.text.courtesies import without_courtesies
from handrail.types import Label, Vectors
from handrail.understand.classify.cues import skeleton
from handrail.understand.classify.features import (
    BUCKETS,
    DENSE,
    EMBEDDING_SCALE,
    FURTHEST,
    HIDDEN_EMBEDDING_SCALE,
    HIDDEN_PATTERN_SCALE,
    HIDDEN_PATTERNS,
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
from training.classifier import hidden
from training.classifier.asides import Asides
from training.classifier.bases import CachedEmbedder
from training.classifier.rows import Row

Array = NDArray[Any]
LABELS = tuple(Label)
FOLDS = 3
SEEDS = 1
"""Networks whose mean is taken."""
INT8 = 127
WRITTEN = 1.0
"""Weight of the rows written for this, which are like what visitors write."""


@dataclass(frozen=True, slots=True)
class Raw:
    embeddings: Vectors
    states: Vectors
    """`(n, layers * d)`."""
    dense: Vectors
    grams: csr_matrix
    patterns: csr_matrix


class Featurizer:
    """Reads messages as `LocalClassifier` does, many at a time."""

    def __init__(
        self,
        embedder: CachedEmbedder,
        bases: Mapping[str, TopicProbe],
        names: Mapping[str, str],
        *,
        layers: bool = True,
    ) -> None:
        """`layers` reads what the encoder's layers show, too."""
        self.embedder = embedder
        self.layers = layers
        self.bases = bases
        self._names = names
        self.means = np.zeros(DENSE, dtype=np.float32)
        self.scales = np.ones(DENSE, dtype=np.float32)
        self.state_means = np.zeros(0, dtype=np.float32)
        self.state_scales = np.ones(0, dtype=np.float32)

    def raw(self, rows: Sequence[Row]) -> Raw:
        texts = [without_courtesies(row.text) for row in rows]
        embeddings = self.embedder.queries(texts)
        dense = np.zeros((len(rows), DENSE), dtype=np.float32)
        grams, shapes = [], []
        for i, row in enumerate(rows):
            folded = fold(texts[i], self._names.get(row.company.split("@")[0], ""))
            read = skeleton(folded)
            base = self.bases.get(row.company)
            dense[i] = dense_row(base.features(texts[i], embeddings[i]) if base else {}, read)
            grams.append(ngrams(folded))
            shapes.append(patterns(read))
        states = np.stack([_states(embedding if self.layers else np.asarray(embedding)) for embedding in embeddings])
        return Raw(np.stack(embeddings), states, dense, _stacked(grams, BUCKETS), _stacked(shapes, PATTERNS))

    def fit(self, raw: Raw) -> None:
        self.means = np.nanmean(raw.dense, axis=0).astype(np.float32)
        self.scales = np.maximum(np.nanstd(raw.dense, axis=0), 1e-6).astype(np.float32)
        self.state_means = raw.states.mean(axis=0)
        self.state_scales = np.maximum(raw.states.std(axis=0), 1e-6)

    def as_in(self, other: Featurizer) -> None:
        """Scaled as `other` was fitted."""
        self.means, self.scales = other.means, other.scales
        self.state_means, self.state_scales = other.state_means, other.state_scales

    def inputs(self, raw: Raw) -> Inputs:
        near = standardised(raw.dense, self.means, self.scales)
        parts = (raw.embeddings * EMBEDDING_SCALE, near, raw.grams * NGRAM_SCALE, raw.patterns * PATTERN_SCALE)
        found = raw.patterns.tocoo()
        where = (found.row, found.col % HIDDEN_PATTERNS)
        folded = csr_matrix((found.data, where), shape=(len(near), HIDDEN_PATTERNS)).toarray()
        read = (
            raw.embeddings * HIDDEN_EMBEDDING_SCALE,
            near.clip(-FURTHEST, FURTHEST),
            folded * HIDDEN_PATTERN_SCALE,
            ((raw.states - self.state_means) / self.state_scales).clip(-FURTHEST, FURTHEST),
        )
        return Inputs(hstack([csr_matrix(part) for part in parts], format="csr"), np.hstack(read).astype(np.float32))


@dataclass(frozen=True, slots=True)
class Inputs:
    linear: csr_matrix
    hidden: Array

    def __getitem__(self, chosen: Array) -> Inputs:
        return Inputs(self.linear[chosen], self.hidden[chosen])


@dataclass(frozen=True, slots=True)
class Calibration:
    """What makes probabilities of several logits: a weight each, and offsets, one a label."""

    weights: Array
    offsets: Array

    def logits(self, parts: Array) -> Array:
        """Of `(parts, n, labels)`."""
        found: Array = np.tensordot(self.weights, parts, 1) + self.offsets
        return found


@dataclass(frozen=True, slots=True)
class Fitted:
    weights: Array
    """`(features, labels)` of the linear part, as stored: rounded to 8 bits a row."""
    units: Array
    bias: Array
    network: hidden.Network

    def pair(self, inputs: Inputs) -> Array:
        """`(2, n, labels)`: the logits of the linear part and of the network."""
        linear = inputs.linear @ (self.weights.astype(np.float32) * self.units) + self.bias
        return np.stack([linear, self.network.logits(inputs.hidden)])

    def save(self, path: Path, featurizer: Featurizer, asides: Asides) -> None:
        """Without the verdicts over what it says, which `training.classifier.verdict` adds."""
        np.savez_compressed(
            path,
            labels=np.asarray([label.value for label in LABELS]),
            weights=self.weights,
            units=self.units.astype(np.float32),
            bias=self.bias.astype(np.float32),
            inward=self.network.inward,
            inward_units=self.network.units,
            inward_bias=self.network.bias,
            outward=self.network.outward.astype(np.float32),
            outward_bias=self.network.outward_bias.astype(np.float32),
            means=featurizer.means,
            scales=featurizer.scales,
            state_means=featurizer.state_means.astype(np.float16),
            state_scales=featurizer.state_scales.astype(np.float16),
            aside=asides.weights,
            aside_bias=np.asarray(asides.bias, dtype=np.float32),
            embedder=np.asarray(featurizer.embedder.name),
        )


def fit(inputs: Inputs, rows: Sequence[Row], strength: float, folder: Path | None = None) -> Fitted:
    """Kept in `folder`, so that a run that was cut off goes on behind it."""
    path = folder / f"fit-{_digest(inputs, rows, strength)}.npz" if folder is not None else None
    if path is not None and path.is_file():
        with np.load(path, allow_pickle=False) as stored:
            weights, units, bias, *network = (stored[f"arr_{n}"] for n in range(len(stored.files)))
        return Fitted(weights, units, bias, hidden.Network(*network))
    made = _fit(inputs, rows, strength)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez(path, made.weights, made.units, made.bias, *made.network)
    return made


def _digest(inputs: Inputs, rows: Sequence[Row], strength: float) -> str:
    """Of all that a fit depends on."""
    seen = hashlib.sha256(repr((strength, SEEDS, hidden.SHAPE, BUCKETS, PATTERNS, inputs.hidden.shape)).encode())
    for row in rows:
        seen.update(repr((row.text, row.label.value, row.company, row.weight)).encode())
    seen.update(inputs.hidden[:: max(1, len(rows) // 64)].tobytes())
    return seen.hexdigest()[:16]


def _fit(inputs: Inputs, rows: Sequence[Row], strength: float) -> Fitted:
    labels = np.asarray([LABELS.index(row.label) for row in rows])
    shares = np.asarray([row.weight for row in rows])
    model = LogisticRegression(C=strength, max_iter=150, tol=3e-3, class_weight="balanced")
    model.fit(inputs.linear, labels, sample_weight=shares)
    weights = model.coef_.T
    units = np.abs(weights).max(axis=1, keepdims=True) / INT8
    units = np.maximum(units, np.abs(weights).max() / INT8 / 64).astype(np.float16).astype(np.float32)
    rounded = np.rint(weights / units).clip(-INT8, INT8).astype(np.int8)
    totals = np.bincount(labels, weights=shares, minlength=len(LABELS))
    balanced = shares * (totals.mean() / totals)[labels]
    return Fitted(rounded, units, model.intercept_, hidden.train(inputs.hidden, labels, balanced, len(LABELS), SEEDS))


def split(rows: Sequence[Row]) -> list[Array]:
    """Places of the rows of each fold; a group is in one."""
    groups = np.asarray([row.group for row in rows])
    return [test for _, test in GroupKFold(FOLDS, shuffle=True, random_state=7).split(groups, groups=groups)]


def out_of_fold(
    inputs: Inputs, rows: Sequence[Row], originals: int, strength: float, folder: Path | None = None
) -> Array:
    """Both logits of the first `originals` rows, by a model that saw nothing of a row's group, nor a rough copy."""
    pair = np.zeros((2, originals, len(LABELS)), dtype=np.float64)
    groups = np.asarray([row.group for row in rows])
    for test in split(rows):
        chosen = np.flatnonzero(~np.isin(groups, np.unique(groups[test])))
        wanted = test[test < originals]
        fitted = fit(inputs[chosen], [rows[int(i)] for i in chosen], strength, folder)
        pair[:, wanted] = fitted.pair(inputs[wanted])
    return pair


def calibrate(rows: Sequence[Row], parts: Array, lean: Mapping[Label, float]) -> Calibration:
    """The likeliest mixture on the written rows, every label counting alike; `lean` is added to labels' logits."""
    written = np.flatnonzero([row.weight == WRITTEN for row in rows])
    labels = np.asarray([LABELS.index(rows[int(i)].label) for i in written])
    parts = parts[:, written]
    shares = (1.0 / np.bincount(labels, minlength=len(LABELS)))[labels]
    each = np.arange(len(labels))

    def loss(given: Array) -> float:
        found = probabilities(mixed(given, {}).logits(parts))
        return float(-(shares * np.log(found[each, labels] + 1e-12)).sum())

    found = minimize(loss, np.full(len(parts), 0.5), method="L-BFGS-B").x
    return mixed(found, lean)


def mixed(weights: Sequence[float] | Array, lean: Mapping[Label, float]) -> Calibration:
    return Calibration(np.asarray(weights), np.asarray([lean.get(label, 0.0) for label in LABELS]))


def probabilities(logits: Array) -> Array:
    exponents = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares: Array = exponents / exponents.sum(axis=1, keepdims=True)
    return shares


def _states(embedding: Vectors) -> Vectors:
    states = embedding.states if isinstance(embedding, Embedding) else None
    return states.astype(np.float32) if states is not None else np.zeros(0, dtype=np.float32)


def _stacked(rows: Sequence[Sparse], width: int) -> csr_matrix:
    starts = np.cumsum([0, *(len(row.buckets) for row in rows)])
    indices = np.concatenate([row.buckets for row in rows])
    values = np.concatenate([row.values for row in rows])
    return csr_matrix((values, indices, starts), shape=(len(rows), width))
