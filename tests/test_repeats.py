"""What a conversation does not hear twice, and somebody whom an answer has not helped."""

from __future__ import annotations

from dataclasses import replace

import pytest

from handrail.replies import asks_for_person
from handrail.types import (
    Claim,
    Classification,
    Draft,
    Evidence,
    Exchange,
    Label,
    Offer,
    Probe,
    Question,
    Reading,
    Routing,
)
from tests.stages import DRAFT, RECORDS, STEPS, WORDING, Calibrates, Classifies, ask, pipeline, stages

pytestmark = pytest.mark.anyio

SAID = Exchange("How?", "How?", "Open Settings and choose Domains [1].", Routing.ANSWERED, titles=(STEPS.title,))
REFUSED = Exchange("When?", "When?", "", Routing.CANNOT_ANSWER)
ASKED_BACK = Exchange("Hm", "Hm", "", Routing.FOLLOWUP, titles=(STEPS.title, RECORDS.title))


class Quotes:
    """Quotes the first passage it is given, word for word."""

    async def answer(
        self, question: Question, classification: Classification, evidence: Evidence, heard: object = None
    ) -> Draft:
        claims = [Claim(hit.passage.text, (hit.passage.id,)) for hit in evidence.hits[:1]]
        return replace(DRAFT, claims=claims, provider="extractive", model=None)


class Reads:
    async def read(self, question: Question, probe: Probe) -> Reading:
        return Reading(f"How? {question.text}", "follow_up")


@pytest.mark.parametrize("history", [(SAID,), (SAID, REFUSED)])
async def test_a_follow_up_gets_what_was_not_quoted_yet(history: tuple[Exchange, ...]) -> None:
    chosen = stages(answerer=Quotes(), reader=Reads())

    first = await pipeline(chosen).run(ask("and then?", history=history))

    assert first.outcome.answer == "Add the A record at your provider [1]."


async def test_where_everything_was_quoted_it_is_said_that_this_is_all() -> None:
    records = replace(SAID, answer="Add the A record at your provider [1].")

    turn = await pipeline(stages(answerer=Quotes(), reader=Reads())).run(ask("and then?", history=(SAID, records)))

    assert turn.outcome.routing is Routing.CANNOT_ANSWER
    assert turn.outcome.answer == WORDING.say("all_said")


async def test_where_everything_was_quoted_what_was_asked_for_is_quoted_again() -> None:
    records = replace(SAID, answer="Add the A record at your provider [1].")

    turn = await pipeline(stages(answerer=Quotes(), reader=Reads())).run(ask("which domains?", history=(SAID, records)))

    assert turn.outcome.routing is Routing.ANSWERED
    assert turn.outcome.answer == "Open Settings and choose Domains [1]."


async def test_the_same_clarifying_question_is_not_asked_twice() -> None:
    unsure = stages(calibrator=Calibrates(0.1), reader=Reads())

    first = await pipeline(unsure).run(ask("the thing"))
    second = await pipeline(unsure).run(ask("you know, the thing", history=(ASKED_BACK,)))

    assert first.outcome.routing is Routing.FOLLOWUP
    assert second.outcome.routing is Routing.CANNOT_ANSWER
    assert second.outcome.escalation.offer is Offer.BUTTON


async def test_a_follow_up_is_not_asked_whether_it_is_about_what_was_just_cited() -> None:
    unsure = stages(calibrator=Calibrates(0.1), reader=Reads())

    turn = await pipeline(unsure).run(ask("does it include phones?", history=(SAID,)))

    assert turn.outcome.answer == WORDING.say("followup_within", title=STEPS.title)
    assert turn.outcome.suggestions == (RECORDS.title,)


class Complains:
    async def read(self, question: Question, probe: Probe) -> Reading:
        return Reading("How?", "complaint")


async def test_a_complaint_is_met_with_other_articles_and_a_person_in_sight() -> None:
    chosen = stages(answerer=Quotes(), reader=Complains())

    turn = await pipeline(chosen).run(ask("that's not what I asked", history=(SAID,)))

    assert turn.outcome.routing is Routing.FOLLOWUP
    assert turn.outcome.answer == WORDING.say("missed_topics", topics=f"“{RECORDS.title}”")
    assert turn.outcome.suggestions == (RECORDS.title,)
    assert turn.outcome.escalation.offer is Offer.LINK


async def test_a_complaint_where_nothing_else_was_found_asks_for_other_words() -> None:
    both = (SAID, replace(SAID, titles=(RECORDS.title,)))

    turn = await pipeline(stages(reader=Complains())).run(ask("wrong answer", history=both))

    assert turn.outcome.answer == WORDING.say("missed")


async def test_a_second_complaint_is_for_a_person() -> None:
    missed = Exchange("wrong answer", "How?", "", Routing.FOLLOWUP, titles=(RECORDS.title,))

    turn = await pipeline(stages(reader=Complains())).run(ask("useless", history=(SAID, missed)))

    assert turn.outcome.routing is Routing.CANNOT_ANSWER
    assert turn.outcome.escalation.offer is Offer.BUTTON


class ByLength(Classifies):
    """High stakes for a message alone, answerable with the question before it."""

    async def classify(self, question: Question, probe: Probe) -> Classification:
        alone = not question.text.startswith("How?")
        return Classification(Label.HIGH_STAKES if alone else Label.ANSWERABLE, 0.95, "local")


@pytest.mark.parametrize(
    "text",
    [
        "it's been 3 days and it still doesn't work",
        "I did that and it failed again",
        "that didn't help at all",
        "this is taking forever",
        "I waited two days already",
        "still not there",
        "same error",
    ],
)
async def test_trouble_that_goes_on_is_a_question_with_a_person_in_sight(text: str) -> None:
    judge = ByLength(Classification(Label.ANSWERABLE, 1.0, "local"))
    chosen = stages(classifier=judge, fallback_classifier=judge, reader=Reads(), answerer=Quotes())

    turn = await pipeline(chosen).run(ask(text, history=(SAID,)))

    assert turn.outcome.routing is Routing.ANSWERED
    assert (turn.outcome.escalation.offer, turn.outcome.escalation.reason) == (Offer.LINK, "not_solved")


@pytest.mark.parametrize(
    "text",
    [
        "it still doesn't work, I want my money back",
        "forget it, I'm leaving",
        "you people are useless",
        "still not working and you charged me twice",
        "we lost two customers because of this",
    ],
)
async def test_a_threat_or_money_stays_for_a_person(text: str) -> None:
    judge = ByLength(Classification(Label.ANSWERABLE, 1.0, "local"))
    chosen = stages(classifier=judge, fallback_classifier=judge, reader=Reads(), answerer=Quotes())

    assert (await pipeline(chosen).run(ask(text, history=(SAID,)))).outcome.routing is Routing.HIGH_STAKES


async def test_trouble_before_any_answer_is_judged_as_it_is() -> None:
    judge = ByLength(Classification(Label.ANSWERABLE, 1.0, "local"))
    chosen = stages(classifier=judge, fallback_classifier=judge, reader=Reads(), answerer=Quotes())

    turn = await pipeline(chosen).run(ask("it still doesn't work", history=(REFUSED,)))

    assert turn.outcome.routing is Routing.HIGH_STAKES


@pytest.mark.parametrize(
    "text",
    [
        "can someone call me",
        "Call me back please",
        "is there anybody I can talk to?",
        "can somebody help me",
        "Kann ich mit einem Menschen sprechen?",
        "Puis-je parler à un conseiller ?",
        "¿Puedo hablar con alguien?",
        "Posso falar com uma pessoa?",
        "Можно поговорить с оператором?",
    ],
)
async def test_a_wish_for_a_person_is_heard_in_other_words_and_languages(text: str) -> None:
    assert asks_for_person(text)


@pytest.mark.parametrize("text", ["can customers call me from the site", "can someone book twice", "call me a taxi"])
async def test_other_calls_are_none(text: str) -> None:
    assert not asks_for_person(text)


async def test_who_wants_help_is_asked_with_what_and_the_next_time_shown_to_a_person() -> None:
    wanted = stages(classifier=Classifies(Classification(Label.ANSWERABLE, 0.99, "rule", rule="help")))
    asks = pipeline(wanted, topics=("Plans", "Domains"))

    first = await asks.run(ask("i need help"))
    again = await asks.run(ask("i need help", history=(ASKED_BACK,)))

    assert first.outcome.routing is Routing.FOLLOWUP
    assert "Plans or Domains" in first.outcome.answer
    assert first.outcome.suggestions == ("Plans", "Domains")
    assert again.outcome.answer == WORDING.say("person")
    assert again.outcome.escalation.offer is Offer.BUTTON


async def test_help_without_topics_is_offered_without_them() -> None:
    wanted = stages(classifier=Classifies(Classification(Label.ANSWERABLE, 0.99, "rule", rule="help")))

    turn = await pipeline(wanted).run(ask("help"))

    assert turn.outcome.answer == WORDING.say("help")
