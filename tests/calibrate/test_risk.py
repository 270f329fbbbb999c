"""Conformal risk control: the bound holds over resampled splits, and too few questions are refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from handrail.calibrate.risk import control, smallest_sample
from handrail.errors import KnowledgeError

RNG = np.random.default_rng(7)
CONFIDENCE = RNG.beta(3, 2, size=1200)
WRONG = RNG.random(1200) > CONFIDENCE * 0.9
ANSWERED = np.array(json.loads((Path(__file__).parent / "answered.json").read_text(encoding="utf-8")))
"""Confidence of each answer to 767 questions that six knowledge bases were asked, 0 where it was refused, and whether
the question should have been: run records b409f1, dbed1b, f09c8e, e3ca04, a45ab5 and 96ae0a of `eval/runs`."""


@pytest.mark.parametrize("risk", [0.02, 0.05, 0.1, 0.2])
def test_over_resampled_splits_the_mean_rate_of_wrong_answers_stays_under_the_risk(risk: float) -> None:
    assert risk * 0.5 < mean_rate(CONFIDENCE, WRONG, risk) <= risk, "the gate refuses far more than the bound asks for"


@pytest.mark.parametrize("risk", [0.02, 0.05])
def test_so_it_does_for_questions_that_were_really_asked(risk: float) -> None:
    assert risk * 0.5 < mean_rate(ANSWERED[:, 0], ANSWERED[:, 1] == 1, risk) <= risk


def mean_rate(confidence: np.ndarray, wrong: np.ndarray, risk: float) -> float:
    """Of wrong answers to what was not seen, over 400 splits, less two standard errors."""
    rates = []
    for _ in range(400):
        order = RNG.permutation(len(confidence))
        seen, later = order[:150], order[150:]
        threshold = control(confidence[seen], wrong[seen], risk).threshold
        rates.append(((confidence[later] >= threshold) & wrong[later]).mean())
    return float(np.mean(rates) - 2 * np.std(rates) / np.sqrt(len(rates)))


def test_the_bound_is_no_larger_than_the_risk_and_holds_what_was_observed() -> None:
    found = control(CONFIDENCE, WRONG, 0.05)

    assert found.observed <= found.bound <= 0.05
    assert found.n == 1200
    assert 0 < found.refused < 1
    assert 0 < found.refused_right < 1


def test_a_smaller_risk_costs_more_refusals() -> None:
    strict, loose = control(CONFIDENCE, WRONG, 0.02), control(CONFIDENCE, WRONG, 0.2)

    assert strict.threshold > loose.threshold
    assert strict.refused_right > loose.refused_right


def test_nothing_wrong_refuses_nothing() -> None:
    found = control(np.full(50, 0.4), np.zeros(50, dtype=bool), 0.05)

    assert (found.threshold, found.refused) == (0.0, 0.0)


def test_what_is_refused_anyway_is_no_wrong_answer() -> None:
    found = control(np.zeros(50), np.ones(50, dtype=bool), 0.05)

    assert (found.threshold, found.observed, found.refused) == (0.0, 0.0, 1.0)
    assert found.bound <= 0.05


def test_equal_confidences_are_answered_or_refused_together() -> None:
    found = control(np.full(100, 0.7), np.arange(100) < 30, 0.1)

    assert found.threshold > 0.7
    assert found.refused == 1.0


@pytest.mark.parametrize(("risk", "needed"), [(0.05, 19), (0.1, 9), (0.01, 99), (0.5, 1)])
def test_too_few_questions_are_refused_with_how_many_are_needed(risk: float, needed: int) -> None:
    assert smallest_sample(risk) == needed
    control(np.ones(needed), np.zeros(needed, dtype=bool), risk)
    if needed > 1:
        with pytest.raises(KnowledgeError, match=f"at least {needed} labelled questions"):
            control(np.ones(needed - 1), np.zeros(needed - 1, dtype=bool), risk)


def test_the_threshold_is_no_lower_than_the_least_and_its_price_is_told() -> None:
    confidence = np.linspace(0.1, 0.9, 81)

    found = control(confidence, np.zeros(81, dtype=bool), 0.05, least=0.5)

    assert found.threshold == 0.5
    assert found.refused == found.refused_right == pytest.approx(40 / 81)
