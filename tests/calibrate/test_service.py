"""Gates are changed only by what wins."""

from __future__ import annotations

import numpy as np
import pytest

from handrail.calibrate.service import LARGEST_SHIFT, for_risk, halves, recalibrate
from handrail.calibration import probability
from tests.calibrate.observations import CURRENT, observations


def test_labelled_questions_make_a_better_gate() -> None:
    outcome = recalibrate("relevance", observations(), CURRENT, labelled=True, index="g1", on="acme: file")

    assert outcome.how in ("adjusted", "refitted")
    assert outcome.after.loss < outcome.before.loss
    assert outcome.after.ece < outcome.before.ece
    assert (outcome.gate.index, outcome.gate.n, outcome.gate.fitted_on) == ("g1", 200, "acme: file")
    assert probability(outcome.gate, {"rerank_top": 3.0}) > 0.9


def test_made_questions_move_a_gate_a_little_only() -> None:
    outcome = recalibrate("relevance", observations(), CURRENT, labelled=False, index="g1", on="made")

    assert outcome.how == "adjusted"
    assert abs(outcome.gate.intercept) <= LARGEST_SHIFT
    assert outcome.gate.weights["rerank_top"] == pytest.approx(0.25)


def test_noise_changes_nothing() -> None:
    rows = observations(telling=0.0)
    indifferent = CURRENT.model_copy(update={"weights": {"rerank_top": 0.0}})

    outcome = recalibrate("critique", rows, indifferent, labelled=False, index="g1", on="made")

    assert outcome.how == "kept"
    assert outcome.gate == indifferent
    assert outcome.after == outcome.before


@pytest.mark.parametrize("count", [0, 10, 39])
def test_few_questions_change_nothing(count: int) -> None:
    outcome = recalibrate("relevance", observations(count) or [], CURRENT, labelled=True, index="g1", on="few")

    assert outcome.how == "kept"
    assert str(count) in outcome.why


def test_questions_of_one_kind_change_nothing() -> None:
    rows = [row for row in observations() if row.asked.answerable]

    assert recalibrate("relevance", rows, CURRENT, labelled=True, index="g1", on="x").how == "kept"


def test_halves_share_nothing_and_lose_nothing() -> None:
    rows = observations(51)

    first, second = halves(rows)

    asked = [row.asked.question for row in (*first, *second)]
    assert sorted(asked) == sorted(row.asked.question for row in rows)
    assert abs(len(first) - len(second)) == 1


def test_what_the_relevance_gate_refuses_cannot_be_answered_wrongly() -> None:
    rows = observations(4)
    confidence, wrong = for_risk(rows, CURRENT, CURRENT, relevant_from=0.5)

    refused = np.asarray([probability(CURRENT, row.signals) < 0.5 for row in rows])
    assert (confidence[refused] == 0).all()
    assert wrong.tolist() == [not row.asked.answerable for row in rows]
