"""Several providers: who is asked when, what the turn is told of it, and what a turn may spend."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from pydantic import BaseModel

from handrail.errors import BudgetExhausted, HandrailError, SettingsError
from handrail.llm import LanguageModel, TextListener
from handrail.llm.chat import connect_chat
from handrail.llm.deadline import until
from handrail.llm.meter import Bounds, metering
from handrail.llm.prompts import RenderedPrompt
from handrail.settings import Llm
from tests.scripted_openai import Fails, Hangs, Refuses, Says, ScriptedOpenAI, Step, Streams, scripted_openai

pytestmark = pytest.mark.anyio

PROMPT = RenderedPrompt("greet", "You greet.", "Say hello.", "1", "0" * 12, "local")


class Greeting(BaseModel):
    """One greeting."""

    text: str


HERE, THERE = Says({"text": "from the first"}), Says({"text": "from the second"})


@pytest.fixture(scope="module")
def second_provider() -> Iterator[ScriptedOpenAI]:
    with scripted_openai() as server:
        yield server


@asynccontextmanager
async def both(first: ScriptedOpenAI, second: ScriptedOpenAI, **settings: Any) -> AsyncIterator[LanguageModel]:
    fallback = {"name": "spare", "base_url": second.url, "model": "m-2", "usd_per_million_output": 1000.0}
    chosen = Llm.model_validate(
        {"name": "main", "base_url": first.url, "model": "m-1", "retries": 0, "fallbacks": [fallback], **settings}
    )
    models = connect_chat(chosen)
    try:
        yield models.answering
    finally:
        await models.aclose()


async def test_the_first_provider_answers_while_it_can(
    llm_provider: ScriptedOpenAI, second_provider: ScriptedOpenAI
) -> None:
    llm_provider.script(HERE)
    second_provider.script(THERE)

    with metering() as meter:
        async with both(llm_provider, second_provider) as model:
            reply = await model.ask(PROMPT, Greeting)

    assert (reply.output.text, reply.provider, reply.model) == ("from the first", "main", "m-1")
    assert [(a.task, a.provider, a.model, a.outcome) for a in meter.attempts] == [("greet", "main", "m-1", "ok")]
    assert second_provider.requests == []


@pytest.mark.parametrize(
    ("step", "outcome"),
    [
        (Fails(500), "failed"),
        (Fails(429), "failed"),
        (Fails(401), "rejected"),
        (Refuses(), "rejected"),
        (Says("not the JSON asked for"), "failed"),
        (Hangs(10), "stalled"),
        (Streams({"text": "x"}, stalls_after=0), "stalled"),
    ],
    ids=["down", "busy", "wrong key", "declined", "unusable", "hangs", "stalls"],
)
async def test_the_second_is_asked_when_the_first_fails(
    llm_provider: ScriptedOpenAI, second_provider: ScriptedOpenAI, step: Step, outcome: str
) -> None:
    llm_provider.script(step)
    second_provider.script(THERE)
    heard: list[str] = []

    async def hear(text: str) -> None:
        heard.append(text)

    hearer: TextListener | None = hear if isinstance(step, Streams) else None
    with metering() as meter:
        async with both(llm_provider, second_provider, timeout_s=5.0, stall_s=1.5) as model:
            reply = await model.ask(PROMPT, Greeting, hearer)

    assert (reply.output.text, reply.provider) == ("from the second", "spare")
    assert [(attempt.provider, attempt.outcome) for attempt in meter.attempts] == [("main", outcome), ("spare", "ok")]
    assert meter.usage.cost_usd == pytest.approx(0.02)


async def test_a_provider_left_alone_costs_no_time(
    llm_provider: ScriptedOpenAI, second_provider: ScriptedOpenAI
) -> None:
    llm_provider.script(Fails(503))
    second_provider.script(THERE)

    with metering() as meter:
        async with both(llm_provider, second_provider, breaker_after=2) as model:
            for _ in range(4):
                await model.ask(PROMPT, Greeting)

    assert len(llm_provider.requests) == 2
    assert [a.outcome for a in meter.attempts if a.provider == "main"] == ["failed", "failed", "skipped", "skipped"]


async def test_a_slow_first_leaves_the_second_half_of_the_time(
    llm_provider: ScriptedOpenAI, second_provider: ScriptedOpenAI
) -> None:
    llm_provider.script(Hangs(10))
    second_provider.script(THERE)

    async with both(llm_provider, second_provider) as model:
        start = time.monotonic()
        with until(asyncio.get_running_loop().time() + 3.0):
            reply = await model.ask(PROMPT, Greeting)
        took = time.monotonic() - start

    assert reply.provider == "spare"
    assert took < 3.0


async def test_what_was_streamed_before_a_stall_is_not_streamed_again(
    llm_provider: ScriptedOpenAI, second_provider: ScriptedOpenAI
) -> None:
    llm_provider.script(Streams({"text": "a long greeting from the first"}, stalls_after=2))
    second_provider.script(THERE)
    heard: list[str] = []

    async def hear(text: str) -> None:
        heard.append(text)

    async with both(llm_provider, second_provider, stall_s=1.5) as model:
        reply = await model.ask(PROMPT, Greeting, hear)

    assert reply.output.text == "from the second"
    assert all("second" not in text for text in heard)


async def test_when_nobody_can_the_first_failure_is_told(
    llm_provider: ScriptedOpenAI, second_provider: ScriptedOpenAI
) -> None:
    llm_provider.script(Fails(401))
    second_provider.script(Fails(500))

    async with both(llm_provider, second_provider) as model:
        with pytest.raises(HandrailError, match="key"):
            await model.ask(PROMPT, Greeting)


@pytest.mark.parametrize(
    "bounds", [Bounds(requests=2), Bounds(tokens=240), Bounds(cost_usd=0.03)], ids=["requests", "tokens", "money"]
)
async def test_a_turn_spends_no_more_than_it_may(
    llm_provider: ScriptedOpenAI, second_provider: ScriptedOpenAI, bounds: Bounds
) -> None:
    llm_provider.script(HERE)
    second_provider.script(THERE)

    with metering(bounds) as meter:
        async with both(llm_provider, second_provider, usd_per_million_output=1000.0) as model:
            for _ in range(2):
                await model.ask(PROMPT, Greeting)
            with pytest.raises(BudgetExhausted):
                await model.ask(PROMPT, Greeting)

    assert len(llm_provider.requests) == 2
    assert second_provider.requests == []
    assert meter.attempts[-1].outcome == "over_budget"


async def test_calls_made_side_by_side_share_the_turns_requests(
    llm_provider: ScriptedOpenAI, second_provider: ScriptedOpenAI
) -> None:
    llm_provider.script(Streams({"text": "slow"}, first_s=0.3))
    second_provider.script(THERE)

    with metering(Bounds(requests=3)):
        async with both(llm_provider, second_provider) as model:
            told = await asyncio.gather(*(model.ask(PROMPT, Greeting) for _ in range(6)), return_exceptions=True)

    assert len(llm_provider.requests) == 3
    assert [type(one) for one in told if isinstance(one, Exception)] == [BudgetExhausted] * 3


async def test_a_repeated_request_counts_as_one_more(
    llm_provider: ScriptedOpenAI, second_provider: ScriptedOpenAI
) -> None:
    llm_provider.script(Fails(503, {"retry-after": "0"}))
    second_provider.script(THERE)

    with metering(Bounds(requests=2)) as meter:
        async with both(llm_provider, second_provider, retries=5) as model:
            with pytest.raises(BudgetExhausted):
                await model.ask(PROMPT, Greeting)

    assert (len(llm_provider.requests), meter.requests) == (2, 2)
    assert second_provider.requests == []


def test_a_key_that_is_not_there_is_named() -> None:
    fallback = {"name": "spare", "model": "m-2", "api_key_env": "HANDRAIL_NO_SUCH_KEY"}

    with pytest.raises(SettingsError, match="HANDRAIL_NO_SUCH_KEY"):
        connect_chat(Llm.model_validate({"base_url": "http://127.0.0.1:1/v1", "fallbacks": [fallback]}))
