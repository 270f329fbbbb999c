"""What a visitor who does not speak the articles' language reads."""

from __future__ import annotations

from dataclasses import replace

import pytest

from handrail.text.language import FURTHER, LATIN, SIGNS, spoken
from handrail.turn.notices import own_words
from handrail.types import Escalation, Exchange, Label, Offer, RefusalReason, Routing
from tests.stages import UNLIKE, UNSURE, WORDING, Retrieves, ask, engine, quoting, says, stages

pytestmark = pytest.mark.anyio

GERMAN = "Wie kann ich meine eigene Domain mit der Website verbinden?"
IN_GERMAN = WORDING.into("de")


@pytest.mark.parametrize("name", [Label.NONSENSE, Label.IRRELEVANT, Label.OUT_OF_SCOPE])
async def test_fixed_replies_are_in_the_language_of_the_message_and_their_reason_is_not(name: Label) -> None:
    result = (await engine(stages(classifier=says(name), retriever=Retrieves(UNLIKE))).run(ask(GERMAN))).outcome

    assert result.answer == IN_GERMAN.say(name.value)
    assert result.refusal_reason in {RefusalReason.NO_INTENT, RefusalReason.OFF_TOPIC, RefusalReason.POLICY}


async def test_a_clarifying_question_is_asked_in_the_visitors_language() -> None:
    result = (await engine(stages(retriever=Retrieves(UNLIKE))).run(ask(GERMAN))).outcome

    assert result.routing is Routing.FOLLOWUP
    assert "Was möchten Sie tun" in result.answer


async def test_who_is_not_understood_learns_that_the_articles_are_in_another_language() -> None:
    unlike = Retrieves(UNLIKE)
    german = await engine(quoting(retriever=unlike)).run(ask(GERMAN))
    english = await engine(quoting(retriever=unlike)).run(ask())
    with_model = await engine(stages(retriever=unlike)).run(ask(GERMAN))

    assert german.outcome.notice == IN_GERMAN.say("only_language", language="Englisch")
    assert german.outcome.escalation == Escalation(Offer.LINK, "other_language")
    assert (english.outcome.notice, with_model.outcome.notice) == (None, None)


@pytest.mark.parametrize("retriever", [None, Retrieves(UNSURE)], ids=["answered", "closest"])
async def test_sections_in_another_language_come_with_a_note_in_the_visitors(retriever: Retrieves | None) -> None:
    turn = await engine(quoting(retriever=retriever)).run(ask(GERMAN))

    assert turn.question.lang == "de"
    assert turn.outcome.routing in {Routing.ANSWERED, Routing.LOW_CONFIDENCE}
    assert "Open Settings" in turn.outcome.answer
    assert turn.outcome.notice == IN_GERMAN.say("other_language", language="Englisch")


async def test_no_note_where_the_languages_agree_or_a_model_wrote_the_answer() -> None:
    english = await engine(quoting()).run(ask("How do I connect my own domain?"))
    german = await engine(quoting(articles_lang="de")).run(ask(GERMAN))
    written = await engine(stages()).run(ask(GERMAN))

    assert [turn.outcome.notice for turn in (english, german, written)] == [None, None, None]


async def test_the_language_of_the_page_counts_where_the_message_says_nothing() -> None:
    turn = await engine(stages(classifier=says(Label.NONSENSE))).run(replace(ask("Zoom"), lang="ru"))

    assert turn.outcome.answer == WORDING.into("ru").say("nonsense")


ITALIAN = "Come posso collegare il mio dominio al sito?"
UNSPOKEN = WORDING.say("unspoken_language")
IN_ITALIAN = " ".join(own_words()["it"].values())


async def test_who_writes_in_a_language_without_replies_is_told_so_once() -> None:
    refusing = engine(stages(classifier=says(Label.OUT_OF_SCOPE)))
    first = await refusing.run(ask(ITALIAN))
    said = (Exchange(ITALIAN, ITALIAN, first.outcome.answer, Routing.OUT_OF_SCOPE, ()),)
    later = await refusing.run(replace(ask(ITALIAN), history=said))
    german = await refusing.run(replace(ask(ITALIAN), lang="de"))

    assert (first.outcome.notice, later.outcome.notice) == (f"{IN_ITALIAN} {UNSPOKEN}", None)
    assert first.outcome.answer == WORDING.say("out_of_scope")
    assert german.outcome.notice == f"{IN_ITALIAN} {IN_GERMAN.say('unspoken_language')}"


async def test_nobody_is_led_to_a_person_who_does_not_read_requests() -> None:
    alone = engine(stages(classifier=says(Label.IRRELEVANT)), brand={"person_available": False})
    result = (await alone.run(ask(ITALIAN))).outcome

    assert result.notice == f"{own_words()['it']['other']} {UNSPOKEN}"
    assert result.escalation.offer is Offer.NONE


async def test_a_person_is_offered_even_beside_small_talk_which_may_be_a_misunderstanding() -> None:
    result = (await engine(stages(classifier=says(Label.IRRELEVANT))).run(ask("धनवापसी"))).outcome

    assert own_words()["hi"]["person"] in (result.notice or "")
    assert result.escalation.offer is Offer.LINK


def test_every_language_without_replies_that_is_told_has_both_sentences() -> None:
    """Two languages of `SIGNS` and `FURTHER` share no words; all that the models tell apart are there."""
    told = {*(lang for lang, _ in SIGNS), *LATIN, *FURTHER} - spoken()

    assert own_words().keys() == told
    assert all(words.keys() == {"other", "person"} for words in own_words().values())
    assert len({words["other"] for words in own_words().values()}) == len(told)


async def test_sections_in_the_pages_language_are_foreign_to_him() -> None:
    turn = await engine(quoting()).run(ask(ITALIAN))
    at_home = await engine(quoting(articles_lang="it")).run(ask(ITALIAN))

    assert turn.outcome.notice == f"{IN_ITALIAN} {UNSPOKEN} {WORDING.say('other_language', language='English')}"
    assert at_home.outcome.notice is None


@pytest.mark.parametrize("text", ["fattura", "sdkfj vat jjjj het plan"])
async def test_a_noun_or_mash_is_in_no_language(text: str) -> None:
    turn = await engine(stages(classifier=says(Label.NONSENSE))).run(ask(text))

    assert turn.outcome.notice is None
