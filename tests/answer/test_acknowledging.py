"""The first words to a serious message: those that fit the matter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from handrail.answer.gate import Bands
from handrail.answer.llm import LlmAnswerer
from handrail.answer.pieces import Pieces
from handrail.answer.policy import Policy
from handrail.answer.verbatim import CRISIS, VerbatimAnswerer
from handrail.turn.wording import MATTERS
from handrail.types import Classification, Draft, Evidence, Exchange, Label, Question, Routing
from handrail.types.people import NOBODY, PRESENT, People
from tests.answers import BRAND, PROMPTS, WORDING, model_at
from tests.scripted_openai import Says, ScriptedOpenAI

pytestmark = pytest.mark.anyio

BANDS = Bands(answered=0.6, closest=0.2)
NOTHING = Evidence("", ())
REPLY: dict[str, Any] = {
    "acknowledgement": "A person can look into this.",
    "context": [],
    "offer_id": None,
    "closing": "You can choose to talk to a person.",
}


def serious(matter: str | None, rule: str | None = None) -> Classification:
    return Classification(Label.HIGH_STAKES, 0.97, "local", rule=rule, matter=matter)


async def quoted(
    classification: Classification, *, lang: str = "en", people: People = PRESENT, history: Sequence[Exchange] = ()
) -> Draft:
    answerer = VerbatimAnswerer(Pieces(BANDS, {}, "en"), WORDING, Policy())
    question = Question("it has come to this", "conversation", "turn", lang=lang, history=history, people=people)
    return await answerer.answer(question, classification, NOTHING)


async def written(
    provider: ScriptedOpenAI, classification: Classification, *, acknowledgement: str, people: People = PRESENT
) -> Draft:
    provider.script(Says({**REPLY, "acknowledgement": acknowledgement}))
    async with model_at(provider) as model:
        answerer = LlmAnswerer(model, PROMPTS, BRAND, WORDING, Policy())
        question = Question("it has come to this", "conversation", "turn", people=people)
        return await answerer.answer(question, classification, NOTHING)


@pytest.mark.parametrize("matter", MATTERS)
async def test_each_matter_has_its_own_words(matter: str) -> None:
    draft = await quoted(serious(matter))

    assert draft.acknowledgement == WORDING.say(f"ack_{matter}")


@pytest.mark.parametrize("matter", [None, "other"])
async def test_a_matter_that_nothing_tells_has_the_usual_words(matter: str | None) -> None:
    assert (await quoted(serious(matter))).acknowledgement == WORDING.say("high_stakes_ack")


async def test_nobody_is_mentioned_where_nobody_is_there() -> None:
    draft = await quoted(serious("bereavement"), people=NOBODY)

    assert draft.acknowledgement == WORDING.into("en", NOBODY).say("ack_bereavement")
    assert "person" not in draft.acknowledgement


async def test_the_words_are_in_the_language_of_the_visitor() -> None:
    assert (await quoted(serious("charge"), lang="de")).acknowledgement == WORDING.into("de").say("ack_charge")


async def test_a_second_serious_message_in_a_row_is_not_told_the_same() -> None:
    before = [Exchange("q", "q", "a", Routing.HIGH_STAKES)]

    draft = await quoted(serious("charge"), history=before)

    assert draft.acknowledgement == WORDING.say("high_stakes_ack_again")


async def test_who_speaks_of_dying_is_told_where_help_is_beside_the_usual_words() -> None:
    draft = await quoted(serious(None, CRISIS))

    assert draft.acknowledgement == f"{WORDING.say('high_stakes_ack')}\n\n{WORDING.say('in_danger')}"


async def test_a_model_that_promises_gives_way_to_the_words_of_the_matter(llm_provider: ScriptedOpenAI) -> None:
    draft = await written(llm_provider, serious("charge"), acknowledgement="We will refund you in full.")

    assert draft.acknowledgement == WORDING.say("ack_charge")


async def test_a_model_that_knows_of_nobody_to_name_gives_way_to_the_words_of_the_matter(
    llm_provider: ScriptedOpenAI,
) -> None:
    draft = await written(llm_provider, serious("legal"), acknowledgement=REPLY["acknowledgement"], people=NOBODY)

    assert draft.acknowledgement == WORDING.into("en", NOBODY).say("ack_legal")


async def test_a_model_may_find_its_own_words(llm_provider: ScriptedOpenAI) -> None:
    draft = await written(llm_provider, serious("charge"), acknowledgement=REPLY["acknowledgement"])

    assert draft.acknowledgement == REPLY["acknowledgement"]


async def test_who_may_be_in_danger_is_told_to_call_for_help_whatever_the_model_says(
    llm_provider: ScriptedOpenAI,
) -> None:
    draft = await written(llm_provider, serious("danger"), acknowledgement=REPLY["acknowledgement"])

    assert draft.acknowledgement == WORDING.say("ack_danger")
