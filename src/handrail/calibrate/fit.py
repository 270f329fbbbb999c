"""Logistic regression by Newton's method, and the figures that say whether it is worth using."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handrail.models.calibration import Calibration

Array = NDArray[np.float64]
BINS = 10
CHANCES = 200
"""Outcomes that are drawn to see what chance does."""
STEPS = 50


@dataclass(frozen=True, slots=True)
class Data:
    """Rows to fit on; all arrays have one entry per row."""

    matrix: Array
    """`(n, signals)`."""
    truth: Array
    """1 where the probability should be high."""
    importance: Array
    groups: Sequence[str]
    """Rows of one group belong together: `folds` never splits them."""


@dataclass(frozen=True, slots=True)
class Fitted:
    means: Array
    scales: Array
    weights: Array
    intercept: float

    def probability(self, matrix: Array) -> Array:
        return sigmoid((matrix - self.means) / self.scales @ self.weights + self.intercept)

    def calibration(
        self,
        signals: Sequence[str],
        *,
        reranker: str,
        embedder: str,
        reader: str,
        on: str,
        n: int,
        threshold: float,
        closest: float,
    ) -> Calibration:
        def named(values: Array) -> dict[str, float]:
            return dict(zip(signals, values.round(4).tolist(), strict=True))

        return Calibration(
            reranker=reranker,
            embedder=embedder,
            reader=reader,
            intercept=round(self.intercept, 4),
            weights=named(self.weights),
            means=named(self.means),
            scales=named(self.scales),
            fitted_on=on,
            n=n,
            threshold=threshold,
            closest=closest,
        )


def fit(data: Data, penalty: float, *, toward_itself: bool = False) -> Fitted:
    """`penalty` pulls the weights of standardised signals to 0 as much as that many rows would.

    With `toward_itself`, of a single signal that is a log-odds: to the slope 1 and the shift 0 that leave it as it is.
    """
    total = max(float(data.importance.sum()), 1e-9)
    means = data.importance @ data.matrix / total
    scales = np.maximum(np.sqrt(data.importance @ (data.matrix - means) ** 2 / total), 1e-6)
    standard = np.column_stack([(data.matrix - means) / scales, np.ones(len(data.matrix))])
    ridge, toward = np.full(standard.shape[1], penalty), np.zeros(standard.shape[1])
    if toward_itself:
        toward[:] = float(scales[0]), float(means[0])
    else:
        ridge[-1] = 1e-6
    weights = toward.copy()
    for _ in range(STEPS):
        predicted = sigmoid(standard @ weights)
        gradient = standard.T @ (data.importance * (predicted - data.truth)) + ridge * (weights - toward)
        curvature = data.importance * np.maximum(predicted * (1 - predicted), 1e-6)
        step = np.linalg.solve(standard.T @ (curvature[:, None] * standard) + np.diag(ridge), gradient)
        weights -= step
        if np.abs(step).max() < 1e-6:
            break
    return Fitted(means, scales, weights[:-1], float(weights[-1]))


def folds(groups: Sequence[str], count: int = 5) -> NDArray[np.int_]:
    """`(n,)`: the fold of each row, always the same; rows of one group share theirs."""
    names = sorted(set(groups))
    order = np.random.default_rng(0).permutation(len(names))
    fold_of = {names[index]: place % count for place, index in enumerate(order)}
    return np.asarray([fold_of[group] for group in groups], dtype=np.int_)


def part(data: Data, chosen: NDArray[np.bool_]) -> Data:
    groups = [group for group, kept in zip(data.groups, chosen, strict=True) if kept]
    return Data(data.matrix[chosen], data.truth[chosen], data.importance[chosen], groups)


def auc(predicted: Array, truth: Array) -> float | None:
    """Probability that a row of the first kind is ranked above one of the other; None where one kind is missing."""
    first, other = predicted[truth == 1], predicted[truth == 0]
    if not len(first) or not len(other):
        return None
    above = (first[:, None] > other[None, :]).mean()
    return float(above + 0.5 * (first[:, None] == other[None, :]).mean())


def calibration_error(predicted: Array, truth: Array, importance: Array | None = None) -> float:
    """Expected calibration error over ten bins of equal width; 0 without rows."""
    weights = np.ones(len(predicted)) if importance is None else importance
    bins = np.minimum((predicted * BINS).astype(int), BINS - 1)
    gaps = [abs(float(weights[bins == n] @ (predicted - truth)[bins == n])) for n in range(BINS)]
    return sum(gaps) / max(float(weights.sum()), 1e-9)


def calibration_error_by_chance(predicted: Array) -> float:
    """What `calibration_error` would be in the mean if these probabilities were exactly right.

    Few rows fill few bins with rounding, so that no fit shows 0: consistency resampling (Bröcker and Smith 2007).
    """
    draws = np.random.default_rng(7).random((CHANCES, len(predicted))) < predicted
    return float(np.mean([calibration_error(predicted, draw.astype(float)) for draw in draws]))


def log_loss(predicted: Array, truth: Array) -> Array:
    """`(n,)` in nats; probabilities are kept a thousandth away from certainty."""
    kept = np.clip(predicted, 1e-3, 1 - 1e-3)
    losses: Array = -(truth * np.log(kept) + (1 - truth) * np.log(1 - kept))
    return losses


def sigmoid(logits: Array) -> Array:
    result: Array = 1.0 / (1.0 + np.exp(-np.clip(logits, -30.0, 30.0)))
    return result
