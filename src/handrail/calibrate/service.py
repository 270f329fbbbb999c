"""Fit the gate to one knowledge base, and keep what ships unless the fit wins on questions it has not seen.

Little is fitted, because much that holds for one author's questions does not hold for another's: a slope and a shift of
the shipped gate's log-odds (Platt 1999), and the two thresholds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handrail.calibrate import Observed
from handrail.calibrate.fit import (
    Array,
    Data,
    auc,
    calibration_error,
    calibration_error_by_chance,
    fit,
    folds,
    log_loss,
    sigmoid,
)
from handrail.calibrate.risk import Bound, control
from handrail.models.calibration import Calibration
from handrail.tune.score import paired

RISK = 0.05
"""Wrong answers among all questions, where nobody asks for another bound."""
PENALTY = 4.0
STEEPEST = 4.0
"""Largest slope; its inverse is the smallest, so that the order of sections stays."""
LARGEST_SHIFT = 0.5
"""In log-odds: made questions may move a gate by this much at most, because they are easier than people's."""
LEAST = 40
"""Fewer questions, or fewer than ten of one kind, say too little."""
KIND = 10
EVEN = 0.5
"""A section that is likelier wrong than right is never the answer, and half of what is shown as closest is right."""


@dataclass(frozen=True, slots=True)
class Figures:
    auc: float | None
    ece: float
    ece_by_chance: float
    """Of a gate that is exactly right, over as many questions."""
    loss: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of the gate."""

    adjusted: bool
    """With a slope and a shift that won; else those of the gate that ships stay."""
    why: str
    n: int
    before: Figures
    after: Figures
    """On questions that the fit has not seen; equal to `before` where nothing won."""
    gate: Calibration
    bound: Bound | None = None
    """Of wrong answers at the gate's threshold; None where the threshold stays."""


@dataclass(frozen=True, slots=True)
class Line:
    """Log-odds stretched and shifted."""

    slope: float
    shift: float

    def probability(self, logits: Array) -> Array:
        return sigmoid(self.slope * logits + self.shift)

    def over(self, gate: Calibration) -> Calibration:
        weights = {name: weight * self.slope for name, weight in gate.weights.items()}
        return gate.model_copy(update={"intercept": gate.intercept * self.slope + self.shift, "weights": weights})


def recalibrate(
    rows: Sequence[Observed], shipped: Calibration, *, labelled: bool, index: str, on: str, risk: float | None = None
) -> Outcome:
    """The gate that ships, or an adjustment of it that surely loses less on questions it was not fitted on.

    The thresholds follow an adjustment to people's `labelled` questions; with `risk` the upper one is set in any case.
    A monotone adjustment changes no order, so the bound holds although it is read off the questions that were fitted.
    Raises KnowledgeError when there are too few questions for `risk`.
    """
    shown = [row for row in rows if row.signals]
    truth = np.asarray([float(row.right) for row in shown])
    now = np.asarray([row.probability(shipped) for row in shown])
    before = after = figures(now, truth)
    gate, why = shipped, _too_little(shown)
    if not why:
        logits = np.log(now / (1 - now))
        unseen, fold = np.empty_like(now), _folds(shown)
        for held in (fold == number for number in np.unique(fold)):
            unseen[held] = _line(logits[~held], truth[~held], made=not labelled).probability(logits[held])
        why = _doubt(log_loss(now, truth) - log_loss(unseen, truth), shown)
        if not why:
            after, gate = figures(unseen, truth), _line(logits, truth, made=not labelled).over(shipped)
    adjusted, bound = gate is not shipped, None
    if risk is not None or (adjusted and labelled):
        confidence = np.asarray([row.probability(gate) for row in rows])
        right = np.asarray([row.right for row in rows], dtype=bool)
        bound = control(confidence, ~right, risk or RISK, least=EVEN)
        closest = _closest(confidence, right, bound.threshold, gate.closest) if adjusted else gate.closest
        thresholds = {"threshold": bound.threshold, "closest": min(closest, bound.threshold)}
        gate = gate.model_copy(update=thresholds)
    if gate is not shipped:
        gate = gate.model_copy(update={"index": index, "fitted_on": on, "n": len(rows)})
    return Outcome(adjusted, why or "it loses less on questions it has not seen", len(rows), before, after, gate, bound)


def figures(predicted: Array, truth: Array) -> Figures:
    loss = float(log_loss(predicted, truth).mean()) if len(truth) else 0.0
    by_chance = calibration_error_by_chance(predicted)
    return Figures(auc(predicted, truth), calibration_error(predicted, truth), by_chance, loss)


def _too_little(rows: Sequence[Observed]) -> str:
    """Why nothing can be fitted; empty where something can."""
    answerable, right = sum(row.asked.answerable for row in rows), sum(row.right for row in rows)
    if len(rows) >= LEAST and min(answerable, len(rows) - answerable, right, len(rows) - right) >= KIND:
        return ""
    return (
        f"{len(rows)} questions that found something, {answerable} of them answerable and {right} led by a right "
        f"article, say too little: {LEAST} are needed, and {KIND} of each kind"
    )


def _folds(rows: Sequence[Observed]) -> NDArray[np.int_]:
    """Author by author where a file names several, so that a fit to some has to hold for the others."""
    authors = _authors(rows)
    if len(authors) > 1:
        return np.asarray([authors.index(row.asked.author) for row in rows])
    return folds([_subject(row) for row in rows])


def _doubt(gains: Array, rows: Sequence[Observed]) -> str:
    """Why the adjustment is not to be trusted; empty where it is."""
    gain = paired(gains, [_subject(row) for row in rows])
    if not gain.won:
        return f"the gain on unseen questions is not certain (log loss falls by {gain.low:+.3f} to {gain.high:+.3f})"
    for author in _authors(rows):
        own = gains[[row.asked.author == author for row in rows]]
        if len(own) >= KIND and own.mean() < 0:
            return f"a fit to the others' questions is worse for those of {author or 'no named author'}"
    return ""


def _authors(rows: Sequence[Observed]) -> list[str]:
    return sorted({row.asked.author for row in rows})


def _subject(row: Observed) -> str:
    """Questions about one article rise and fall together."""
    return row.asked.article_ids[0] if row.asked.article_ids else row.asked.question


def _line(logits: Array, truth: Array, *, made: bool) -> Line:
    """Made questions only shift the log-odds, and little."""
    fitted = fit(Data(logits[:, None], truth, np.ones(len(truth)), ()), PENALTY, toward_itself=True)
    if made:
        shift = fitted.intercept - float(fitted.means[0])
        return Line(1.0, min(LARGEST_SHIFT, max(-LARGEST_SHIFT, shift)))
    slope = min(STEEPEST, max(1 / STEEPEST, float(fitted.weights[0] / fitted.scales[0])))
    return Line(slope, fitted.intercept - slope * float(fitted.means[0]))


def _closest(confidence: Array, right: NDArray[np.bool_], threshold: float, shipped: float) -> float:
    """The lowest probability from which, up to `threshold`, at least half of the sections are right."""
    below = np.flatnonzero((confidence < threshold) & (confidence > 0))
    if len(below) < KIND:
        return shipped
    order = below[np.argsort(-confidence[below], kind="stable")]
    share = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    enough = confidence[order][share >= EVEN]
    return float(enough[-1]) if len(enough) else threshold
