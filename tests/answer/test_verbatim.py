"""The answerer without a language model: whole sections, and fixed words around them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from handrail.answer.gate import Band
from handrail.answer.policy import Policy
from handrail.types import Classification, Draft, Evidence, Exchange, Label, Routing
from handrail.types.people import NOBODY
from tests.stages import EVIDENCE, NOTHING, RECORDS, STEPS, WORDING, ask, found, label, quotes

pytestmark = pytest.mark.anyio

PAUSE, REFUND = "You can pause your plan for three months.", "A yearly plan is refunded within 14 days."
POLICY = Policy.model_validate(
    {
        "offer": [{"id": "pause", "when": ["cancel"], "text": PAUSE}],
        "refund": [{"id": "yearly", "when": ["refund"], "text": REFUND}],
    }
)
GRAVE = label(Label.HIGH_STAKES)
IN_DANGER = Classification(Label.HIGH_STAKES, 0.99, "local", rule="crisis")


async def grave(text: str, evidence: Evidence = EVIDENCE, judged: Classification = GRAVE, **fields: Any) -> Draft:
    return await quotes(POLICY).answer(ask(text, **fields), judged, evidence)


async def test_it_answers_from_sure_evidence_alone_and_in_the_articles_own_words() -> None:
    answerer = quotes()

    draft = await answerer.answer(ask(), label(Label.ANSWERABLE), EVIDENCE)

    assert answerer.least is Band.ANSWERED
    assert [claim.text for claim in draft.claims] == [STEPS.text]
    assert draft.verbatim
    assert (draft.provider, draft.model) == ("extractive", None)
    assert draft.acknowledgement is draft.offer is draft.closing is None


async def test_each_request_is_answered_in_turn_and_no_section_twice() -> None:
    connect, record = found((STEPS, 0.9), query="connect"), found((RECORDS, 0.9), query="record")
    both = replace(connect, hits=(*connect.hits, *record.hits), parts=(connect, record, connect))

    draft = await quotes().answer(ask(), label(Label.ANSWERABLE), both)

    assert [(claim.heading, claim.text) for claim in draft.claims] == [
        ("**Connect a domain**", STEPS.text),
        ("**DNS records**", RECORDS.text),
    ]


async def test_nothing_found_is_nothing_said() -> None:
    assert (await quotes().answer(ask(), label(Label.ANSWERABLE), NOTHING)).claims == ()


async def test_a_serious_matter_is_acknowledged_and_closed_and_offered_what_the_operator_wants() -> None:
    draft = await grave("I want to cancel")

    assert draft.acknowledgement == f"{WORDING.say('high_stakes_ack')}\n\n{WORDING.say('high_stakes_context')}"
    assert (draft.offer, draft.closing) == (PAUSE, WORDING.say("high_stakes_close"))
    assert [claim.text for claim in draft.claims] == [STEPS.text]


async def test_without_articles_it_does_not_announce_any() -> None:
    draft = await grave("I want to cancel", NOTHING)

    assert draft.acknowledgement == WORDING.say("high_stakes_ack")
    assert draft.claims == ()


async def test_what_holds_of_refunds_is_said_in_the_operators_words_whatever_was_declined() -> None:
    draft = await grave("cancel and refund me", declines=True)

    assert draft.offer == REFUND


@pytest.mark.parametrize("of", [Routing.HIGH_STAKES, Routing.ANSWERED])
async def test_the_second_time_it_is_not_thanked_for_again(of: Routing) -> None:
    past = Exchange("I was charged twice", "I was charged twice", "…", of)

    said = (await grave("so what now?", NOTHING, history=(past,))).acknowledgement

    assert said == WORDING.say("high_stakes_ack_again" if of is Routing.HIGH_STAKES else "high_stakes_ack")


async def test_in_danger_help_is_named_and_nothing_else() -> None:
    draft = await grave("I want to cancel", judged=IN_DANGER)

    assert draft.acknowledgement == f"{WORDING.say('high_stakes_ack')}\n\n{WORDING.say('in_danger')}"
    assert (draft.claims, draft.offer) == ((), None)


async def test_it_speaks_the_visitors_language_and_of_nobody_who_is_not_there() -> None:
    german = await grave("Ich will kündigen", lang="de")
    alone = await grave("I want to cancel", people=NOBODY)

    assert german.closing == WORDING.into("de").say("high_stakes_close")
    assert alone.closing is not None and "person" not in alone.closing
