"""Five-way classification, by scikit-learn, and how far its probabilities can be believed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import precision_recall_fscore_support

from eval.metrics import share
from eval.metrics.bootstrap import Interval, interval, mean_interval
from handrail.types import Label

BINS = 10
LABELS = [label.value for label in Label]
SERIOUS = f"per_class.{Label.HIGH_STAKES.value}.recall"


@dataclass(frozen=True, slots=True)
class Routed:
    label: str
    predicted: str
    probability: float
    """Of the predicted label."""

    @property
    def correct(self) -> bool:
        return self.label == self.predicted


def score(rows: Sequence[Routed]) -> dict[str, Any]:
    """`macro_f1` is over labels that occur in the file or among the predictions."""
    return {
        "n": len(rows),
        "accuracy": share([row.correct for row in rows]),
        "macro_f1": _macro_f1(*_codes(rows)) if rows else None,
        "per_class": _per_class(rows),
        "ece": expected_calibration_error(rows),
    }


def confusion(rows: Sequence[Routed]) -> dict[str, dict[str, int]]:
    """Rows by label in the file, then by label given."""
    table = {label: dict.fromkeys(LABELS, 0) for label in LABELS}
    for row in rows:
        table[row.label][row.predicted] += 1
    return table


def intervals(rows: Sequence[Routed]) -> dict[str, Interval | None]:
    truth, predicted = _codes(rows)
    serious = truth == LABELS.index(Label.HIGH_STAKES.value)
    return {
        "accuracy": mean_interval(truth == predicted),
        "macro_f1": interval(len(rows), lambda draw: _macro_f1(truth[draw], predicted[draw])),
        SERIOUS: mean_interval(predicted[serious] == truth[serious]) if serious.any() else None,
    }


def expected_calibration_error(rows: Sequence[Routed]) -> float | None:
    """Mean distance of accuracy from probability over ten bins of equal width (Guo et al., 2017)."""
    if not rows:
        return None
    probability = np.asarray([row.probability for row in rows])
    correct = np.asarray([row.correct for row in rows], dtype=float)
    bins = np.minimum((probability * BINS).astype(int), BINS - 1)
    inside = [bins == b for b in np.unique(bins)]
    return float(sum(abs(correct[b].mean() - probability[b].mean()) * b.mean() for b in inside))


def _codes(rows: Sequence[Routed]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    truth = np.asarray([LABELS.index(row.label) for row in rows], dtype=int)
    return truth, np.asarray([LABELS.index(row.predicted) for row in rows], dtype=int)


def _macro_f1(truth: np.ndarray[Any, Any], predicted: np.ndarray[Any, Any]) -> float:
    """Of label codes. By counting, since the bootstrap needs it a thousand times."""
    hits = np.bincount(truth[truth == predicted], minlength=len(LABELS))
    seen = np.bincount(truth, minlength=len(LABELS)) + np.bincount(predicted, minlength=len(LABELS))
    return float((2 * hits[seen > 0] / seen[seen > 0]).mean())


def _per_class(rows: Sequence[Routed]) -> dict[str, dict[str, float | int | None]]:
    """None where a label neither occurs nor is predicted, and for the precision of one never predicted."""
    if not rows:
        return {}
    truth, predicted = [row.label for row in rows], [row.predicted for row in rows]
    table = precision_recall_fscore_support(truth, predicted, labels=LABELS, zero_division=np.nan)
    return {
        label: {
            "precision": _number(precision),
            "recall": _number(recall),
            "f1": _number(f1),
            "support": int(support),
        }
        for label, precision, recall, f1, support in zip(LABELS, *table, strict=True)
    }


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
