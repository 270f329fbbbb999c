"""Serious matters: words first, then what the articles say, the operator's offer, and a person."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from handrail.answer.policy import Policy
from handrail.turn.engine import SURELY_GRAVE
from handrail.types import (
    Act,
    Citation,
    Claim,
    Draft,
    Exchange,
    Label,
    Offer,
    Request,
    Routing,
    Understood,
)
from handrail.types.people import NOBODY
from tests.stages import (
    DRAFT,
    EVIDENCE,
    NOTHING,
    PROBE,
    STEPS,
    UNSURE,
    WORDING,
    Answers,
    Labels,
    Library,
    Retrieves,
    act,
    ask,
    asking,
    engine,
    found,
    passage,
    quoting,
    request,
    says,
    stages,
)

pytestmark = pytest.mark.anyio

PAUSE = "You can pause your plan for three months."
POLICY = Policy.model_validate({"offer": [{"id": "pause", "when": ["cancel"], "text": PAUSE}]})
CANCEL = "I want to cancel my plan"
GRAVE = says(Label.HIGH_STAKES)
BEFORE = Exchange(CANCEL, CANCEL, f"Thank you. {PAUSE}", Routing.HIGH_STAKES)
INVITE = passage("team:invite/0", "Choose Invite and enter an address.", title="Invite a team member")


async def test_a_serious_matter_is_acknowledged_first_with_what_the_articles_say() -> None:
    draft = replace(DRAFT, acknowledgement="Thank you.", offer="You can pause.", closing="A person is near.")

    turn = await engine(stages(classifier=GRAVE, answerer=Answers(draft))).run(ask())

    assert turn.outcome.routing is Routing.HIGH_STAKES
    assert turn.outcome.answer.split("\n\n") == [
        "Thank you.",
        "Open Settings and choose Domains [1].",
        "You can pause.",
        "A person is near.",
    ]
    assert turn.outcome.escalation.offer is Offer.BUTTON


def of_matters(matters: Mapping[str, float], name: Label = Label.HIGH_STAKES) -> Request:
    """A message of which an encoder hears what it would be about if it were serious."""
    [sense] = request(CANCEL, name).senses
    heard = Understood({Act.REQUEST: 1.0}, 0.0, 0.0, 0.0, matters)
    return Request(CANCEL, (replace(sense, probe=replace(PROBE, understood=heard)),))


@pytest.mark.parametrize(
    ("matters", "matter"),
    [
        ({"charge": 0.8, "bereavement": 0.1, "other": 0.1}, "charge"),
        ({"bereavement": 0.5, "charge": 0.3, "other": 0.2}, "bereavement"),
        ({"bereavement": 0.4, "charge": 0.4, "other": 0.2}, None),
        ({}, None),
    ],
)
async def test_a_serious_matter_is_acknowledged_in_words_of_its_kind_where_that_is_likely(
    matters: Mapping[str, float], matter: str | None
) -> None:
    turn = await engine(quoting(understands=asking(of_matters(matters)))).run(ask(CANCEL))

    assert turn.classification.matter == matter
    assert turn.outcome.answer.startswith(WORDING.acknowledge(matter))


async def test_what_is_not_serious_has_no_kind_of_serious_matter() -> None:
    ordinary = of_matters({"cancellation": 0.9, "other": 0.1}, Label.ANSWERABLE)

    turn = await engine(quoting(understands=asking(ordinary))).run(ask(CANCEL))

    assert turn.classification.matter is None


async def test_without_a_model_it_has_fixed_words_around_the_whole_section_and_the_operators_offer() -> None:
    turn = await engine(quoting(POLICY, classifier=GRAVE)).run(ask(CANCEL))

    assert turn.outcome.answer.split("\n\n") == [
        WORDING.say("high_stakes_ack"),
        WORDING.say("high_stakes_context"),
        "Open Settings and choose Domains. [1]",
        PAUSE,
        WORDING.say("high_stakes_close"),
    ]
    [piece] = turn.outcome.pieces
    assert piece.span is not None
    assert turn.outcome.answer[slice(*piece.span)] == "Open Settings and choose Domains. [1]"


@pytest.mark.parametrize("evidence", [NOTHING, UNSURE], ids=["nothing", "unsure"])
async def test_it_goes_on_without_articles_where_none_surely_answers(evidence: object) -> None:
    answerer = Answers(replace(DRAFT, claims=(), acknowledgement="Thank you."))
    chosen = quoting(POLICY, classifier=GRAVE, retriever=Retrieves(evidence))  # type: ignore[arg-type]
    chosen = replace(chosen, answer=replace(chosen.answer, primary=answerer))

    turn = await engine(chosen).run(ask(CANCEL))

    assert turn.outcome.routing is Routing.HIGH_STAKES
    assert turn.outcome.answer == "Thank you."
    assert turn.outcome.citations == ()


async def test_what_only_looks_close_is_shown_as_cards_beside_it() -> None:
    turn = await engine(quoting(classifier=GRAVE, retriever=Retrieves(UNSURE))).run(ask(CANCEL))

    assert turn.outcome.routing is Routing.HIGH_STAKES
    assert STEPS.text not in turn.outcome.answer
    assert [card.piece.markdown for card in turn.outcome.closest][:1] == [STEPS.text]


async def test_invented_citations_never_reach_the_reply() -> None:
    draft = Draft([Claim("We refund everything.", ("invented/1",))], "scripted", acknowledgement="Thank you.")

    turn = await engine(stages(classifier=GRAVE, answerer=Answers(draft))).run(ask())

    assert turn.outcome.routing is Routing.HIGH_STAKES
    assert turn.outcome.answer == "Thank you."


async def test_claims_that_do_not_stand_up_are_left_out_and_the_reply_stays() -> None:
    draft = replace(DRAFT, acknowledgement="Thank you.")
    chosen = stages(classifier=GRAVE, answerer=Answers(draft), verifier=Labels({"c1": "unsupported"}))

    turn = await engine(chosen).run(ask())

    assert (turn.outcome.answer, turn.outcome.routing) == ("Thank you.", Routing.HIGH_STAKES)
    assert turn.outcome.factuality == 0.0


@pytest.mark.parametrize(
    ("probability", "routing"), [(SURELY_GRAVE, Routing.HIGH_STAKES), (SURELY_GRAVE - 0.01, Routing.ANSWERED)]
)
async def test_what_may_be_an_ordinary_question_is_answered_first_with_a_person_in_sight(
    probability: float, routing: Routing
) -> None:
    chosen = quoting(classifier=says(Label.HIGH_STAKES, probability=probability))

    turn = await engine(chosen).run(ask(CANCEL))

    assert turn.outcome.routing is routing
    assert turn.outcome.escalation.offer is Offer.BUTTON
    assert [citation.passage for citation in turn.outcome.citations] == [STEPS]


async def test_an_answer_to_what_may_be_an_ordinary_question_begins_with_the_answer() -> None:
    chosen = quoting(classifier=says(Label.HIGH_STAKES, probability=0.7))

    turn = await engine(chosen).run(ask(CANCEL))

    assert turn.outcome.answer.startswith("Open Settings")


@pytest.mark.parametrize(("probability", "routing"), [(0.9, Routing.HIGH_STAKES), (0.5, Routing.FOLLOWUP)])
async def test_what_may_be_serious_and_no_article_answers_always_has_a_person_in_sight(
    probability: float, routing: Routing
) -> None:
    doubtful = says(Label.HIGH_STAKES, probability=probability)

    turn = await engine(quoting(classifier=doubtful, retriever=Retrieves(NOTHING))).run(ask(CANCEL))

    assert turn.outcome.routing is routing
    assert turn.outcome.escalation.offer is Offer.BUTTON


async def test_an_offer_is_made_once() -> None:
    chosen = quoting(POLICY, classifier=GRAVE)

    first = await engine(chosen).run(ask(CANCEL))
    again = await engine(chosen).run(ask(CANCEL, history=(BEFORE,)))

    assert PAUSE in first.outcome.answer
    assert PAUSE not in again.outcome.answer
    assert again.outcome.answer.startswith(WORDING.say("high_stakes_ack_again"))


@pytest.mark.parametrize(
    ("refuses", "before"),
    [
        ({"refuses_offer": True}, {}),
        ({}, {"declined_before": True}),
        ({}, {"history": (replace(BEFORE, answer="Thank you.", declined=True),)}),
    ],
    ids=["in this message", "long ago", "in the conversation"],
)
async def test_no_offer_is_made_to_whoever_refused_one(refuses: dict[str, Any], before: dict[str, Any]) -> None:
    wants = asking(request(CANCEL, Label.HIGH_STAKES), **refuses)

    turn = await engine(quoting(POLICY, understands=wants)).run(ask(CANCEL, **before))

    assert turn.outcome.routing is Routing.HIGH_STAKES
    assert PAUSE not in turn.outcome.answer
    assert turn.outcome.citations
    assert turn.question.declined


async def test_in_danger_the_reply_says_where_help_is_and_neither_quotes_nor_offers() -> None:
    retriever = Retrieves(EVIDENCE)
    chosen = quoting(POLICY, understands=act(Act.REQUEST, text=CANCEL, crisis=True), retriever=retriever)

    turn = await engine(chosen).run(ask(CANCEL))

    assert turn.outcome.routing is Routing.HIGH_STAKES
    assert WORDING.say("in_danger") in turn.outcome.answer
    assert PAUSE not in turn.outcome.answer
    assert turn.outcome.citations == ()
    assert (turn.classification.rule, retriever.calls) == ("crisis", [])


@pytest.mark.parametrize("text", ["I don't want to live anymore", "and how? ich möchte nicht mehr leben"])
async def test_somebody_in_despair_is_heard_without_a_model_too(text: str) -> None:
    turn = await engine(quoting(POLICY)).run(ask(text))

    assert turn.classification.rule == "crisis"
    assert turn.question.text == text


async def test_a_message_with_a_serious_part_is_serious_and_its_other_part_is_answered() -> None:
    library = Library({"cancel": found((STEPS, 0.9)), "invite": found((INVITE, 0.9))})
    both = asking(request("cancel my plan", Label.HIGH_STAKES), request("invite a colleague"))

    turn = await engine(quoting(understands=both, retriever=library)).run(ask("cancel my plan; invite a colleague?"))

    assert turn.outcome.routing is Routing.HIGH_STAKES
    assert turn.outcome.answer.startswith(WORDING.say("high_stakes_ack"))
    assert [citation.passage for citation in turn.outcome.citations] == [STEPS, INVITE]
    assert [(asked.routing, asked.citations) for asked in turn.outcome.requests] == [
        (Routing.HIGH_STAKES, (1,)),
        (Routing.HIGH_STAKES, (2,)),
    ]


@pytest.mark.parametrize(("depends", "offer"), [(0.9, Offer.BUTTON), (0.1, Offer.NONE)])
async def test_who_goes_on_about_a_serious_matter_has_a_person_in_sight(depends: float, offer: Offer) -> None:
    goes_on = asking(request("how long does it take?"), depends=depends)

    turn = await engine(quoting(understands=goes_on)).run(ask("how long does it take?", history=(BEFORE,)))

    assert (turn.outcome.routing, turn.outcome.escalation.offer) == (Routing.ANSWERED, offer)


async def test_where_nobody_reads_requests_no_person_is_offered_or_spoken_of() -> None:
    turn = await engine(quoting(POLICY, classifier=GRAVE)).run(ask(CANCEL, people=NOBODY))

    assert turn.outcome.routing is Routing.HIGH_STAKES
    assert turn.outcome.escalation.offer is Offer.NONE
    assert "person" not in turn.outcome.answer


async def test_each_citation_of_it_is_a_passage_that_was_found() -> None:
    turn = await engine(quoting(POLICY, classifier=GRAVE)).run(ask(CANCEL))

    cited = turn.outcome.citations
    assert all(isinstance(one, Citation) and one.passage in EVIDENCE.passages for one in cited)
    assert len(cited) == 1


async def test_who_asks_for_a_person_in_a_matter_that_may_be_serious_is_given_one() -> None:
    wants = asking(request("enough of this, somebody real please", Label.HIGH_STAKES, 0.5), wants_person=True)

    turn = await engine(quoting(understands=wants, retriever=Retrieves(NOTHING))).run(ask("enough"))

    assert (turn.outcome.routing, turn.outcome.escalation.offer) == (Routing.HIGH_STAKES, Offer.BUTTON)
