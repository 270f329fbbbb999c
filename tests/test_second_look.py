"""A fixed reply that the classifier is not sure of gives way where the articles answer."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from handrail.errors import RetryableError
from handrail.second_look import ARTICLES, LABELS, OTHERWISE, answered
from handrail.types import Classification, Evidence, Label, Routing
from tests.stages import EVIDENCE, Calibrates, Classifies, Retrieves, ask, pipeline, stages

pytestmark = pytest.mark.anyio


def leaning(label: Label, probability: float = 0.55, by: str = "local", rule: str | None = None) -> Classifies:
    return Classifies(Classification(label, probability, by, {label: probability, Label.ANSWERABLE: 0.4}, rule))


@pytest.mark.parametrize("label", [Label.OUT_OF_SCOPE, Label.IRRELEVANT])
async def test_what_the_articles_answer_is_answered(label: Label) -> None:
    retriever = Retrieves(EVIDENCE)

    turn = await pipeline(stages(classifier=leaning(label), retriever=retriever)).run(ask())

    assert turn.outcome.routing is Routing.ANSWERED
    assert turn.classification.label is Label.ANSWERABLE
    assert turn.classification.probability == 0.4
    assert len(retriever.calls) == 1


@pytest.mark.parametrize(
    "classifier",
    [
        leaning(Label.OUT_OF_SCOPE, 0.99),
        leaning(Label.IRRELEVANT, by="llm"),
        leaning(Label.IRRELEVANT, rule="thanks"),
        leaning(Label.NONSENSE),
    ],
)
async def test_a_sure_label_and_one_of_another_kind_stand_unread(classifier: Classifies) -> None:
    retriever = Retrieves(EVIDENCE)

    turn = await pipeline(stages(classifier=classifier, retriever=retriever)).run(ask())

    assert turn.outcome.routing.value == turn.classification.label.value
    assert retriever.calls == []


@pytest.mark.parametrize(
    ("relevance", "label", "routing"),
    [(0.99, 0.9, Routing.ANSWERED), (0.8, 0.9, Routing.OUT_OF_SCOPE), (0.8, 0.5, Routing.ANSWERED)],
)
async def test_the_surer_the_label_the_more_the_articles_have_to_answer(
    relevance: float, label: float, routing: Routing
) -> None:
    said = Classification(
        Label.OUT_OF_SCOPE, label, "local", {Label.OUT_OF_SCOPE: label, Label.ANSWERABLE: 0.95 - label}
    )

    turn = await pipeline(stages(classifier=Classifies(said), calibrator=Calibrates(relevance))).run(ask())

    assert turn.outcome.routing is routing


def test_what_gate_and_classifier_say_is_one_probability() -> None:
    said = Classification(Label.IRRELEVANT, 0.6, "local", {Label.IRRELEVANT: 0.6, Label.ANSWERABLE: 0.3})
    odds = math.exp(ARTICLES * math.log(0.9 / 0.1) + LABELS * math.log(0.3 / 0.6) + OTHERWISE)

    assert answered(0.9, said) == pytest.approx(odds / (1 + odds))
    assert 0 < answered(0.0, said) < answered(1.0, said) < 1


@pytest.mark.parametrize("found", [Retrieves(EVIDENCE), Retrieves(Evidence("", ())), Retrieves(RetryableError("away"))])
async def test_where_the_articles_do_not_answer_the_fixed_reply_stands(found: Retrieves) -> None:
    chosen = stages(classifier=leaning(Label.OUT_OF_SCOPE), retriever=found, calibrator=Calibrates(0.6))

    turn = await pipeline(chosen).run(ask())

    assert turn.outcome.routing is Routing.OUT_OF_SCOPE
    assert turn.classification.label is Label.OUT_OF_SCOPE


async def test_it_can_be_turned_off() -> None:
    retriever = Retrieves(EVIDENCE)
    turn = await pipeline(stages(classifier=leaning(Label.OUT_OF_SCOPE), retriever=retriever), second_look=1.0).run(
        ask()
    )

    assert turn.outcome.routing is Routing.OUT_OF_SCOPE
    assert retriever.calls == []


async def test_a_doubtful_label_of_a_message_in_another_language_is_no_fixed_reply() -> None:
    beside = Retrieves(replace(EVIDENCE, signals={"rerank_top": -11.0}))
    chosen = stages(classifier=leaning(Label.OUT_OF_SCOPE), retriever=beside, calibrator=Calibrates(0.05))

    turn = await pipeline(chosen).run(ask("hola, ¿cuándo recibo mis pagos?"))

    assert turn.outcome.routing is Routing.FOLLOWUP
