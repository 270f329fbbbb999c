"""What a visitor who does not speak the articles' language reads."""

from __future__ import annotations

from dataclasses import replace

import pytest

from handrail.types import Critique, Escalation, Exchange, Label, Offer, RefusalReason, Routing, Verdict
from tests.stages import DRAFT, WORDING, Answers, Calibrates, Critiques, ask, pipeline, says, stages

pytestmark = pytest.mark.anyio

GERMAN = "Wie kann ich meine eigene Domain mit der Website verbinden?"
QUOTED = Answers(replace(DRAFT, provider="extractive", model=None))


@pytest.mark.parametrize("label", [Label.NONSENSE, Label.IRRELEVANT, Label.OUT_OF_SCOPE])
async def test_fixed_replies_are_in_the_language_of_the_message_and_their_reason_is_not(label: Label) -> None:
    result = (await pipeline(stages(classifier=says(label))).run(ask(GERMAN))).outcome

    assert result.answer == WORDING.into("de").say(label.value)
    assert result.refusal_reason in {RefusalReason.NO_INTENT, RefusalReason.OFF_TOPIC, RefusalReason.POLICY}


async def test_a_clarifying_question_is_asked_in_the_visitors_language() -> None:
    result = (await pipeline(stages(calibrator=Calibrates(0.3))).run(ask(GERMAN))).outcome

    assert result.routing is Routing.FOLLOWUP
    assert "Geht es um" in result.answer
    assert " oder " in result.answer


async def test_who_is_not_understood_learns_that_the_articles_are_in_another_language() -> None:
    german = await pipeline(stages(calibrator=Calibrates(0.01), fallback_answerer=None)).run(ask(GERMAN))
    english = await pipeline(stages(calibrator=Calibrates(0.01), fallback_answerer=None)).run(ask())
    hardly = await pipeline(stages(calibrator=Calibrates(0.2), fallback_answerer=None)).run(ask(GERMAN))
    with_model = await pipeline(stages(calibrator=Calibrates(0.01))).run(ask(GERMAN))

    assert german.outcome.notice == WORDING.into("de").say("only_language", language="Englisch")
    assert german.outcome.suggestions == hardly.outcome.suggestions == ()
    assert german.outcome.escalation == Escalation(Offer.LINK, "other_language")
    assert (english.outcome.notice, with_model.outcome.notice) == (None, None)


async def test_who_is_searched_for_in_his_language_is_offered_the_nearest_articles() -> None:
    unlike = Calibrates(0.01)
    read = await pipeline(stages(calibrator=unlike, reads_abroad=True)).run(ask(GERMAN))
    unread = await pipeline(stages(calibrator=unlike)).run(ask(GERMAN))

    assert "Geht es um" in read.outcome.answer
    assert "Geht es um" not in unread.outcome.answer


async def test_passages_in_another_language_come_with_a_note_in_the_visitors() -> None:
    turn = await pipeline(stages(answerer=QUOTED)).run(ask(GERMAN))

    assert turn.question.lang == "de"
    assert turn.outcome.routing is Routing.ANSWERED
    assert turn.outcome.answer.startswith("Open Settings")
    assert turn.outcome.notice == WORDING.into("de").say("other_language", language="Englisch")


async def test_no_note_where_the_languages_agree_or_a_model_wrote_the_answer() -> None:
    english = await pipeline(stages(answerer=QUOTED)).run(ask("How do I connect my own domain?"))
    german = await pipeline(stages(answerer=QUOTED, articles_lang="de")).run(ask(GERMAN))
    written = await pipeline(stages()).run(ask(GERMAN))

    assert [turn.outcome.notice for turn in (english, german, written)] == [None, None, None]


async def test_the_language_of_the_page_counts_where_the_message_says_nothing() -> None:
    turn = await pipeline(stages(classifier=says(Label.NONSENSE))).run(replace(ask("Zoom"), lang="ru"))

    assert turn.outcome.answer == WORDING.into("ru").say("nonsense")


@pytest.mark.parametrize(("right", "routing"), [(0.7, Routing.LOW_CONFIDENCE), (0.8, Routing.ANSWERED)])
async def test_passages_in_another_language_need_more_confidence(right: float, routing: Routing) -> None:
    critic = Critiques(Critique(Verdict.FULLY, right))

    turn = await pipeline(stages(answerer=QUOTED, critic=critic)).run(ask(GERMAN))

    assert turn.outcome.routing is routing
    assert turn.outcome.notice


ITALIAN = "Come posso collegare il mio dominio al sito?"
UNSPOKEN = WORDING.say("unspoken_language")


async def test_who_writes_in_a_language_without_replies_is_told_so_once() -> None:
    first = await pipeline(stages(classifier=says(Label.OUT_OF_SCOPE))).run(ask(ITALIAN))
    said = (Exchange(ITALIAN, ITALIAN, first.outcome.answer, Routing.OUT_OF_SCOPE, ()),)
    later = await pipeline(stages(classifier=says(Label.OUT_OF_SCOPE))).run(replace(ask(ITALIAN), history=said))
    german = await pipeline(stages(classifier=says(Label.OUT_OF_SCOPE))).run(replace(ask(ITALIAN), lang="de"))

    assert (first.outcome.notice, later.outcome.notice) == (UNSPOKEN, None)
    assert first.outcome.answer == WORDING.say("out_of_scope")
    assert german.outcome.notice == WORDING.into("de").say("unspoken_language")


async def test_quotes_in_the_pages_language_are_foreign_to_him() -> None:
    turn = await pipeline(stages(answerer=QUOTED)).run(ask(ITALIAN))
    at_home = await pipeline(stages(answerer=QUOTED, articles_lang="it")).run(ask(ITALIAN))

    assert turn.outcome.notice == f"{UNSPOKEN} {WORDING.say('other_language', language='English')}"
    assert at_home.outcome.notice is None


@pytest.mark.parametrize("text", ["fattura", "sdkfj vat jjjj het plan"])
async def test_a_noun_or_mash_is_in_no_language(text: str) -> None:
    turn = await pipeline(stages(classifier=says(Label.NONSENSE))).run(ask(text))

    assert turn.outcome.notice is None
