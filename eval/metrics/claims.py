"""Verification as detection: the positive class is "the passage states the claim"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from eval.metrics import share
from eval.metrics.bootstrap import Interval, interval

BINS = 10


@dataclass(frozen=True, slots=True)
class Checked:
    supported: bool
    """The truth."""
    score: float
    label: str
    """`supported`, `unsupported` or `unverified`, as it would be shown."""
    kind: str | None = None
    shown: bool = True
    """Whether it stays in an answer, supported or with a word of caution."""
    cited_where_stated: bool | None = None
    """Whether it cites what states it in the end; None where the passage it cites is the only one that could."""


def score(rows: Sequence[Checked]) -> dict[str, Any]:
    """`precision` is cite correctness: how much of what is labelled supported is; None is not applicable.

    `shown` and `shown_wrongly` are shares of what is stated and of what is not that stay in an answer.
    """
    truth, scores, called = _arrays(rows)
    kinds = dict.fromkeys(row.kind for row in rows if row.kind is not None)
    return {
        "n": len(rows),
        "auc": _auc(truth, scores),
        "precision": share(truth[called].tolist()),
        "recall": share(called[truth].tolist()),
        "unsupported_precision": share([not row.supported for row in rows if row.label == "unsupported"]),
        "unverified": share([row.label == "unverified" for row in rows]),
        "shown": share([row.shown for row in rows if row.supported]),
        "shown_wrongly": share([row.shown for row in rows if not row.supported]),
        "cited_where_stated": share([row.cited_where_stated for row in rows if row.cited_where_stated is not None]),
        "ece": _ece(truth, scores),
        "by_kind": {kind: _kind([row for row in rows if row.kind == kind]) for kind in kinds},
    }


def intervals(rows: Sequence[Checked]) -> dict[str, Interval | None]:
    truth, scores, called = _arrays(rows)
    shown = np.asarray([row.shown for row in rows], dtype=bool)
    return {
        "auc": interval(len(rows), lambda at: _number(_auc(truth[at], scores[at]))),
        "precision": interval(len(rows), lambda at: _mean(truth[at][called[at]])),
        "recall": interval(len(rows), lambda at: _mean(called[at][truth[at]])),
        "shown": interval(len(rows), lambda at: _mean(shown[at][truth[at]])),
        "shown_wrongly": interval(len(rows), lambda at: _mean(shown[at][~truth[at]])),
    }


def _arrays(rows: Sequence[Checked]) -> tuple[NDArray[np.bool_], NDArray[np.float64], NDArray[np.bool_]]:
    truth = np.asarray([row.supported for row in rows], dtype=bool)
    scores = np.asarray([row.score for row in rows], dtype=float)
    return truth, scores, np.asarray([row.label == "supported" for row in rows], dtype=bool)


def _auc(truth: NDArray[np.bool_], scores: NDArray[np.float64]) -> float | None:
    return float(roc_auc_score(truth, scores)) if 0 < truth.sum() < len(truth) else None


def _ece(truth: NDArray[np.bool_], scores: NDArray[np.float64]) -> float | None:
    """Expected calibration error over ten equal-width bins."""
    if not len(truth):
        return None
    bins = np.minimum((scores * BINS).astype(int), BINS - 1)
    return float(sum(abs(scores[bins == b].mean() - truth[bins == b].mean()) * (bins == b).mean() for b in set(bins)))


def _kind(rows: Sequence[Checked]) -> dict[str, Any]:
    return {
        "n": len(rows),
        "right": share([row.label == ("supported" if row.supported else "unsupported") for row in rows]),
        "called_supported": share([row.label == "supported" for row in rows]),
    }


def _number(value: float | None) -> float:
    return float("nan") if value is None else value


def _mean(values: NDArray[np.bool_]) -> float:
    return float(values.mean()) if len(values) else float("nan")
