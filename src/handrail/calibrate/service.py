"""Refit the gates of one knowledge base and keep what wins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handrail.calibrate import Observed
from handrail.calibrate.fit import (
    Array,
    Data,
    Fitted,
    auc,
    calibration_error,
    calibration_error_by_chance,
    cross_validated,
    fit,
    log_loss,
)
from handrail.calibrate.signals import ANSWER, EVIDENCE
from handrail.calibration import Calibration, probability

GATES = {"relevance": EVIDENCE, "critique": ANSWER}
PENALTY = 12.0
ADJUST_PENALTY = 2.0
LARGEST_SHIFT = 0.5
"""In log-odds: made questions may move a gate by this much at most, because they are easier than people's."""
LEAST = 40
"""Fewer questions, or fewer than ten of one kind, say too little."""
KIND = 10
DRAWS = 1000


@dataclass(frozen=True, slots=True)
class Figures:
    auc: float | None
    ece: float
    ece_by_chance: float
    """Of a gate that is exactly right, over as many questions."""
    loss: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one gate."""

    name: str
    how: str
    """`kept`, `adjusted` (one slope and shift) or `refitted` (all weights)."""
    before: Figures
    after: Figures
    """Cross-validated; equal to `before` where the gate is kept."""
    gate: Calibration
    why: str


def recalibrate(
    name: str, rows: Sequence[Observed], current: Calibration, *, labelled: bool, index: str, on: str
) -> Outcome:
    """The best of the current gate, an adjustment of it and, on labelled questions, new weights.

    Made questions change a gate only when they are sure: the whole 95 % interval of the paired difference in log loss
    is a gain, and the change is small.
    """
    signals = GATES[name]
    truth = np.asarray([float(row.asked.answerable) for row in rows])
    now = np.asarray([probability(current, row.signals) for row in rows])
    before = figures(now, truth)
    if len(rows) < LEAST or min(truth.sum(), (1 - truth).sum()) < KIND:
        return Outcome(name, "kept", before, before, current, f"{len(rows)} questions say too little")
    groups = [row.asked.question for row in rows]
    ones = np.ones(len(rows))
    logits = np.log(np.clip(now, 1e-6, 1 - 1e-6) / (1 - np.clip(now, 1e-6, 1 - 1e-6)))
    tried: dict[str, tuple[Array, Calibration]] = {}
    line = Data(logits[:, None], truth, ones, groups)
    adjusted = _adjusted(current, fit(line, ADJUST_PENALTY), bounded=not labelled)
    tried["adjusted"] = (cross_validated(line, ADJUST_PENALTY), adjusted)
    if labelled:
        known = current.means
        matrix = [[row.signals.get(key, known.get(key, 0.0)) for key in signals] for row in rows]
        full = Data(np.asarray(matrix), truth, ones, groups)
        fitted = fit(full, PENALTY).calibration(
            signals,
            reranker=current.reranker,
            embedder=current.embedder,
            reader=current.reader,
            on=on,
            n=len(rows),
        )
        tried["refitted"] = (cross_validated(full, PENALTY), fitted)
    how = min(tried, key=lambda key: float(log_loss(tried[key][0], truth).mean()))
    predicted, gate = tried[how]
    gain = log_loss(now, truth) - log_loss(predicted, truth)
    if float(gain.mean()) <= 0 or (not labelled and _lower(gain) <= 0):
        return Outcome(name, "kept", before, before, current, "nothing fitted here is better")
    gate = gate.model_copy(update={"index": index, "fitted_on": on, "n": len(rows)})
    return Outcome(name, how, before, figures(predicted, truth), gate, "better on questions it was not fitted on")


def figures(predicted: Array, truth: Array) -> Figures:
    loss = float(log_loss(predicted, truth).mean()) if len(truth) else 0.0
    by_chance = calibration_error_by_chance(predicted)
    return Figures(auc(predicted, truth), calibration_error(predicted, truth), by_chance, loss)


def halves(rows: Sequence[Observed]) -> tuple[list[Observed], list[Observed]]:
    """Two halves by question, always the same: one to fit on, one for the bound."""
    order = np.random.default_rng(11).permutation(len(rows))
    first = set(order[: len(rows) // 2].tolist())
    return [row for i, row in enumerate(rows) if i in first], [row for i, row in enumerate(rows) if i not in first]


def for_risk(
    rows: Sequence[Observed], relevance: Calibration, critique: Calibration, relevant_from: float
) -> tuple[Array, NDArray[np.bool_]]:
    """Confidence of each answer (0 where the relevance gate refuses), and whether that answer would be wrong."""
    passed = [probability(relevance, row.signals) >= relevant_from for row in rows]
    confidence = [probability(critique, row.signals) if ok else 0.0 for row, ok in zip(rows, passed, strict=True)]
    wrong = [not row.asked.answerable or (bool(row.asked.article_ids) and not row.cited) for row in rows]
    return np.asarray(confidence), np.asarray(wrong)


def _adjusted(current: Calibration, line: Fitted, *, bounded: bool) -> Calibration:
    """`current` with its log-odds stretched and shifted."""
    slope = float(line.weights[0] / line.scales[0])
    shift = line.intercept - float(line.weights[0] * line.means[0] / line.scales[0])
    if bounded:
        slope = min(1.25, max(0.8, slope))
        shift = min(LARGEST_SHIFT, max(-LARGEST_SHIFT, shift))
    return current.model_copy(
        update={
            "intercept": round(current.intercept * slope + shift, 4),
            "weights": {key: round(weight * slope, 4) for key, weight in current.weights.items()},
        }
    )


def _lower(gain: Array) -> float:
    """Lower end of the 95 % bootstrap interval of the mean."""
    rng = np.random.default_rng(3)
    draws = rng.integers(0, len(gain), size=(DRAWS, len(gain)))
    return float(np.percentile(gain[draws].mean(axis=1), 2.5))
