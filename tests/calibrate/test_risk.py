"""Conformal risk control: the bound holds over resampled splits, and too few questions are refused."""

from __future__ import annotations

import numpy as np
import pytest

from handrail.calibrate.risk import control, smallest_sample
from handrail.errors import KnowledgeError

RNG = np.random.default_rng(7)
CONFIDENCE = RNG.beta(3, 2, size=1200)
WRONG = RNG.random(1200) > CONFIDENCE * 0.9


@pytest.mark.parametrize("risk", [0.02, 0.05, 0.1, 0.2])
def test_over_resampled_splits_the_mean_rate_of_wrong_answers_stays_under_the_risk(risk: float) -> None:
    rates = []
    for _ in range(400):
        order = RNG.permutation(len(CONFIDENCE))
        seen, later = order[:150], order[150:]
        threshold = control(CONFIDENCE[seen], WRONG[seen], risk).threshold
        rates.append(((CONFIDENCE[later] >= threshold) & WRONG[later]).mean())

    error = np.std(rates) / np.sqrt(len(rates))
    assert np.mean(rates) <= risk + 2 * error
    assert np.mean(rates) > risk * 0.5, "the gate refuses far more than the bound asks for"


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
