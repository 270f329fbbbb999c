"""The local model: which questions it takes for its own, and that nothing around them changes an answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from pydantic_ai.models.decision import (
    ChoiceAnswer,
    ChoiceQuestion,
    DecisionQuestion,
    DecisionRequest,
    NoulQuestion,
    ScoreQuestion,
)

from handrail.decide.calibration import Maps
from handrail.decide.local import LocalDecisionModel, NotTrained, WrongState
from handrail.decide.questions import load_decisions

pytestmark = pytest.mark.anyio

DECISIONS = load_decisions()
ROUTE, ANSWERS, SUPPORTED = (DECISIONS[name] for name in ("route", "answers", "supported"))


class Heads:
    """One for each kind of question; counts what they were asked."""

    def __init__(self) -> None:
        self.asked = 0

    async def route(self, state: Mapping[str, str]) -> dict[str, float]:
        self.asked += 1
        return {"answerable": 0.4, "high_stakes": 0.4, "nonsense": 0.2}

    async def answers(self, state: Mapping[str, str]) -> dict[str, float]:
        return {"off_topic": 0.1, "related": 0.2, "in_part": 0.3, "answers": 0.4}

    async def supported(self, state: Mapping[str, str]) -> dict[str, float]:
        return {"yes": 0.75, "no": 0.25}

    def model(self) -> LocalDecisionModel:
        heads = {"route": self.route, "answers": self.answers, "supported": self.supported}
        return LocalDecisionModel(DECISIONS, heads, Maps())


async def decide(state: Any, heads: Heads | None = None, **questions: DecisionQuestion) -> dict[str, Any]:
    model = (heads or Heads()).model()
    return dict((await model.decide(DecisionRequest(state=state, questions=questions), {})).answers)


async def test_each_kind_is_answered_with_probabilities() -> None:
    state = {"message": "hi", "request": "r", "text": "t", "claim": "c", "passage": "p", "more": 7}

    found = await decide(state, a=ROUTE.asked(), b=ANSWERS.asked(), c=SUPPORTED.asked())

    assert found["a"].probabilities["none_of_these"] == 0.0
    assert sum(found["a"].probabilities.values()) == pytest.approx(1)
    assert found["b"].score == pytest.approx(2.0)
    assert found["b"].legend[0] == ANSWERS.options["off_topic"]
    assert found["c"].noul == pytest.approx(0.75)


async def test_neither_order_nor_name_nor_company_changes_an_answer() -> None:
    labels = list(ROUTE.options)
    turned = ROUTE.asked(list(reversed(labels)))
    heads = Heads()

    found = await decide("hi", heads, one=ROUTE.asked(), other=turned)

    one, other = found["one"], found["other"]
    assert isinstance(one, ChoiceAnswer)
    assert (one.choice, dict(one.probabilities)) == (other.choice, dict(other.probabilities))
    assert list(other.probabilities) == list(reversed(labels))
    assert heads.asked == 1


async def test_a_question_may_be_named_instead_of_written_out() -> None:
    named = ChoiceQuestion(instructions="route", criteria=dict.fromkeys(ROUTE.options))

    assert (await decide("hi", q=named)).keys() == {"q"}


@pytest.mark.parametrize(
    "question",
    [
        NoulQuestion(instructions="Is it raining?"),
        NoulQuestion(instructions=ROUTE.question),
        DECISIONS["crisis"].asked(),
        ChoiceQuestion(instructions=ROUTE.question, criteria={"answerable": None, "none_of_these": None}),
        ScoreQuestion(instructions=ANSWERS.question, criteria=["no", "yes"]),
        NoulQuestion(),
    ],
)
async def test_any_other_question_is_refused_with_those_it_knows(question: DecisionQuestion) -> None:
    with pytest.raises(NotTrained, match="answers, route, supported") as caught:
        await decide({"message": "hi"}, q=question)

    assert caught.value.question == "q"


@pytest.mark.parametrize("state", [{"claim": "c"}, {"claim": "c", "passage": 7}, "c", ["c", "p"], None])
async def test_a_state_that_lacks_something_is_refused(state: Any) -> None:
    with pytest.raises(WrongState, match="passage"):
        await decide(state, q=SUPPORTED.asked())
