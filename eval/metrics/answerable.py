"""Whether a passage answers, as detection: the positive class is "it does"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from eval.metrics.bootstrap import Interval, interval

RECALL = 0.9
REFUSED = 0.75
TURNED_AWAY, PRECISION = f"false_refusal_at_recall_{RECALL}", f"refusal_precision_at_recall_{REFUSED}"


@dataclass(frozen=True, slots=True)
class Read:
    answerable: bool
    """The truth."""
    score: float
    """Any number, higher where it seems to answer."""


def score(rows: Sequence[Read]) -> dict[str, Any]:
    """`auc`, the share of answers turned away where nine of ten that do not answer are, and how many of those turned
    away do not answer where three of four are; None without both kinds.
    """
    truth, scores = _arrays(rows)
    return {"n": len(rows), "auc": _auc(truth, scores), TURNED_AWAY: _turned_away(truth, scores),
            PRECISION: _precision(truth, scores)}  # fmt: skip


def intervals(rows: Sequence[Read]) -> dict[str, Interval | None]:
    truth, scores = _arrays(rows)

    def of(figure: Any) -> Interval | None:
        return interval(len(rows), lambda at: _number(figure(truth[at], scores[at])))

    return {"auc": of(_auc), TURNED_AWAY: of(_turned_away), PRECISION: of(_precision)}


def _arrays(rows: Sequence[Read]) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    return np.asarray([row.answerable for row in rows], dtype=bool), np.asarray(
        [row.score for row in rows], dtype=float
    )


def _auc(truth: NDArray[np.bool_], scores: NDArray[np.float64]) -> float | None:
    return float(roc_auc_score(truth, scores)) if 0 < truth.sum() < len(truth) else None


def _turned_away(truth: NDArray[np.bool_], scores: NDArray[np.float64]) -> float | None:
    if not 0 < truth.sum() < len(truth):
        return None
    threshold = np.quantile(scores[~truth], RECALL)
    return float((scores[truth] <= threshold).mean())


def _precision(truth: NDArray[np.bool_], scores: NDArray[np.float64]) -> float | None:
    if not 0 < truth.sum() < len(truth):
        return None
    refused = scores <= np.quantile(scores[~truth], REFUSED)
    return float((~truth[refused]).mean())


def _number(value: float | None) -> float:
    return float("nan") if value is None else value
