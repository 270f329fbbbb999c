"""What is said without an answer: courtesies, questions back, refusals, and when a person comes into sight."""

from __future__ import annotations

from dataclasses import replace

import pytest

from handrail.turn import replies
from handrail.turn.found import Found, found
from handrail.types import (
    Act,
    Draft,
    Evidence,
    Exchange,
    Label,
    Offer,
    Outcome,
    RefusalReason,
    Routing,
    Understanding,
)
from tests.stages import BANDS, DRAFT, EVIDENCE, NOTHING, PIECES, UNLIKE, UNSURE, WORDING, ask, request

TOPICS = ("Billing", "Domains")
ASKED_BACK = Exchange("domain", "domain", "", Routing.FOLLOWUP)


def understanding(act: Act = Act.REQUEST, *texts: str, wants_person: bool = False) -> Understanding:
    requests = [request(text) for text in texts or ("ok",)]
    return Understanding(requests, requests[0], act, wants_person=wants_person)


def part(text: str, evidence: Evidence = NOTHING, name: Label = Label.ANSWERABLE) -> Found:
    asked = request(text, name)
    return found(asked, asked.senses[0], evidence, BANDS)


def courtesy(read: Understanding, *history: Exchange) -> Outcome:
    reply = replies.courtesy(read, ask(history=history), WORDING, TOPICS)
    assert reply is not None
    return reply


@pytest.mark.parametrize("act", [Act.REQUEST, Act.STILL_FAILS, Act.WRONG_ANSWER])
def test_what_asks_for_something_has_no_fixed_reply(act: Act) -> None:
    assert replies.courtesy(understanding(act), ask(), WORDING, TOPICS) is None


def test_who_asks_what_it_is_hears_that_it_is_a_program() -> None:
    reply = courtesy(understanding(Act.ABOUT_ASSISTANT))

    assert (reply.routing, reply.suggestions) == (Routing.IRRELEVANT, TOPICS)
    assert "automated" in reply.answer and "program" in reply.answer


def test_who_declined_an_offer_is_not_made_another() -> None:
    no, declined = understanding(Act.NO), replace(understanding(Act.NO), refuses_offer=True)

    assert courtesy(no).answer == WORDING.say("no")
    assert courtesy(declined).answer == WORDING.say("chat")


def test_thanks_and_greetings_are_courtesies_that_turn_nobody_away() -> None:
    for act in (Act.THANKS, Act.GREETING):
        reply = courtesy(understanding(act), ASKED_BACK)
        assert (reply.routing, reply.suggestions) == (Routing.IRRELEVANT, TOPICS)
        assert reply.escalation.offer is Offer.NONE
        assert reply.answer not in {WORDING.say("irrelevant"), WORDING.say("nonsense")}


def test_the_wish_for_a_person_comes_before_a_courtesy_and_not_before_other_requests() -> None:
    wish = courtesy(understanding(Act.THANKS, wants_person=True))
    beside = understanding(Act.REQUEST, "connect a domain", "call me", wants_person=True)

    assert (wish.routing, wish.escalation.offer) == (Routing.OUT_OF_SCOPE, Offer.BUTTON)
    assert wish.escalation.reason == "visitor_request"
    assert replies.courtesy(beside, ask(), WORDING, TOPICS) is None


def test_a_fixed_reply_is_counted_as_what_it_is() -> None:
    read = understanding(Act.THANKS)

    classified = replies.classified(read, courtesy(read))

    assert (classified.label, classified.rule) == (Label.IRRELEVANT, "thanks")


@pytest.mark.parametrize(
    ("names", "routing"),
    [
        ((Label.NONSENSE,), Routing.NONSENSE),
        ((Label.IRRELEVANT, Label.OUT_OF_SCOPE), Routing.OUT_OF_SCOPE),
        ((Label.IRRELEVANT, Label.NONSENSE), Routing.IRRELEVANT),
    ],
)
def test_of_parts_that_are_turned_away_the_one_a_person_could_settle_decides(
    names: tuple[Label, ...], routing: Routing
) -> None:
    parts = [part(name.value, name=name) for name in names]

    assert replies.turned_away(parts, WORDING, TOPICS).routing is routing


def nothing(evidence: Evidence, *history: Exchange, act: Act = Act.REQUEST) -> Outcome:
    parts = [part("how?", evidence)]
    cards = PIECES.cards(evidence) if evidence is UNSURE else ()
    return replies.nothing_found(parts, cards, understanding(act), ask(history=history), WORDING, TOPICS)


def test_the_closest_sections_come_before_a_question_back() -> None:
    closest = nothing(UNSURE, ASKED_BACK)

    assert closest.routing is Routing.LOW_CONFIDENCE
    assert [card.piece.passage_id for card in closest.closest] == [one.id for one in UNSURE.passages]


@pytest.mark.parametrize("evidence", [UNLIKE, NOTHING])
def test_a_question_back_names_no_article_that_is_not_likely(evidence: Evidence) -> None:
    asked = nothing(evidence)

    assert (asked.answer, asked.suggestions) == (WORDING.say("followup"), TOPICS)


@pytest.mark.parametrize("routing", [Routing.FOLLOWUP, Routing.LOW_CONFIDENCE, Routing.CANNOT_ANSWER])
def test_a_second_time_it_is_said_that_there_is_no_answer(routing: Routing) -> None:
    refused = nothing(UNLIKE, replace(ASKED_BACK, routing=routing))

    assert (refused.routing, refused.refusal_reason) == (Routing.CANNOT_ANSWER, RefusalReason.LOW_EVIDENCE)


def test_a_refusal_of_long_ago_does_not_count() -> None:
    fine = Exchange("q", "q", "Text [1].", Routing.ANSWERED)

    assert nothing(UNLIKE, ASKED_BACK, fine, fine).routing is Routing.FOLLOWUP


@pytest.mark.parametrize("act", [Act.STILL_FAILS, Act.WRONG_ANSWER])
def test_who_was_not_helped_is_not_asked_back(act: Act) -> None:
    said = Exchange("q", "q", "Text [1].", Routing.ANSWERED)

    assert nothing(UNLIKE, said, act=act).routing is Routing.CANNOT_ANSWER
    assert nothing(UNLIKE, act=act).routing is Routing.FOLLOWUP


def test_a_code_that_is_not_listed_is_named_in_the_refusal() -> None:
    refused = nothing(replace(UNSURE, unlisted=("TW-9", "TW-8")))

    assert refused.routing is Routing.CANNOT_ANSWER
    assert "TW-9 or TW-8" in refused.answer
    assert refused.closest == ()


def test_what_stays_open_is_said_behind_everything_else() -> None:
    draft: Draft = replace(DRAFT, closing="Goodbye.")

    said = replies.with_open(draft, [part("pay in shells")], WORDING).closing

    assert said == f"Goodbye.\n\n{WORDING.say('left_open', questions='“pay in shells”')}"
    assert replies.with_open(draft, (), WORDING) is draft


def test_traces_tell_the_band_of_each_request() -> None:
    parts = [part("a", EVIDENCE), part("b", UNSURE), part("c", EVIDENCE, Label.OUT_OF_SCOPE)]

    assert replies.bands_of(parts) == {"a": "answered", "b": "closest", "c": "answered"}
