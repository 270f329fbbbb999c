"""Around a call: start-up without an LLM, tracing, cancellation, the turn's meter, pauses between tries."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from pydantic_ai.exceptions import ModelConnectionError, ModelHTTPError

from handrail.errors import RetryableError
from handrail.llm.breaker import Breaker
from handrail.llm.generations import current_observer
from handrail.llm.meter import metering
from handrail.llm.prompts import RenderedPrompt
from handrail.llm.retry import RetryPolicy
from handrail.types.usage import Usage
from handrail.understand.rewrite import SearchQuery
from tests.answers import PROMPTS, model_at
from tests.scripted_openai import Fails, Hangs, Says, ScriptedOpenAI

GOOD = Says({"query": "refund"})
STAGES = (
    "handrail.llm, handrail.llm.prompts, handrail.understand.classify.llm, handrail.understand.classify.cascade, "
    "handrail.understand.rewrite, handrail.answer.llm, handrail.answer.llm_critique, handrail.answer.policy"
)


def prompt() -> RenderedPrompt:
    return PROMPTS.render("rewrite", brand="Acme", covers="", message="refund")


class Observer:
    """Remembers the generations it is shown."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, str, str]] = []
        self.values: dict[str, Any] = {}

    def record(self, **values: Any) -> None:
        self.values.update(values)

    @contextmanager
    def generation(self, name: str, model: str, prompt: RenderedPrompt) -> Iterator[Observer]:
        self.seen.append((name, model, prompt.digest))
        yield self

    @contextmanager
    def step(self, name: str) -> Iterator[Observer]:
        yield self


async def no_sleep(seconds: float) -> None:
    return None


def test_the_stages_load_no_llm_library() -> None:
    program = f"import sys, {STAGES}\nprint(sorted({{'openai', 'pydantic_ai', 'httpx2'}} & set(sys.modules)))"

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"


@pytest.mark.anyio
async def test_a_call_is_observed_with_its_prompt_output_tokens_and_cost(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(GOOD)
    observer = Observer()
    token = current_observer.set(observer)

    async with model_at(llm_provider) as model:
        await model.ask(prompt(), SearchQuery)
    current_observer.reset(token)

    assert observer.seen == [("rewrite", "scripted", prompt().digest)]
    assert observer.values == {
        "output": {"query": "refund"},
        "input_tokens": 100,
        "output_tokens": 20,
        "cost_usd": pytest.approx(0.0003),
    }


@pytest.mark.anyio
async def test_a_failed_call_is_observed_too(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(Says("no JSON"))
    observer = Observer()
    token = current_observer.set(observer)

    async with model_at(llm_provider) as model:
        with pytest.raises(RetryableError):
            await model.ask(prompt(), SearchQuery)
    current_observer.reset(token)

    assert observer.values["output_tokens"] == 40
    assert "output" not in observer.values


@pytest.mark.anyio
async def test_a_visitor_who_leaves_ends_the_call(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(Hangs(5))

    async with model_at(llm_provider) as model:
        visit = asyncio.create_task(model.ask(prompt(), SearchQuery))
        async with asyncio.timeout(30):
            while not llm_provider.requests:  # noqa: ASYNC110 - the server runs in a thread of its own
                await asyncio.sleep(0.01)
        visit.cancel()
        with pytest.raises(asyncio.CancelledError):
            await visit

    assert len(llm_provider.requests) == 1


@pytest.mark.anyio
async def test_the_meter_adds_up_what_all_stages_spend_and_nothing_of_others(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(GOOD, Fails(500), GOOD)

    async with model_at(llm_provider) as model:
        with metering() as meter:
            await model.ask(prompt(), SearchQuery)
            with pytest.raises(RetryableError):
                await model.ask(prompt(), SearchQuery)
            await asyncio.create_task(model.ask(prompt(), SearchQuery))
        await model.ask(prompt(), SearchQuery)

    assert meter.usage == Usage(200, 40, meter.usage.cost_usd)
    assert meter.usage.cost_usd == pytest.approx(0.0006)


def test_pauses_grow_shrink_by_chance_and_stay_bounded() -> None:
    error = ModelConnectionError("m", "gone")
    longest = RetryPolicy(5, no_sleep, random=lambda: 1.0)
    shortest = RetryPolicy(5, no_sleep, random=lambda: 0.0)

    assert [longest.delay(tried, error) for tried in range(6)] == [0.5, 1.0, 2.0, 4.0, 8.0, None]
    assert [shortest.delay(tried, error) for tried in range(3)] == [0.25, 0.5, 1.0]


@pytest.mark.parametrize(("status", "retried"), [(408, True), (409, True), (503, True), (400, False), (403, False)])
def test_only_what_may_pass_is_retried(status: int, retried: bool) -> None:
    policy = RetryPolicy(1, no_sleep, random=lambda: 0.0)

    assert (policy.delay(0, ModelHTTPError(status, "m")) is not None) is retried


def test_an_open_breaker_lets_one_call_through_after_its_pause() -> None:
    now = 0.0
    breaker = Breaker(threshold=1, pause_s=10, clock=lambda: now)
    breaker.failed()

    with pytest.raises(RetryableError, match=r"host .* 10 s"):
        breaker.check("host")
    now = 10.0
    breaker.check("host")
    with pytest.raises(RetryableError):
        breaker.check("host")
    breaker.succeeded()
    breaker.check("host")


def test_a_breaker_of_zero_never_opens() -> None:
    breaker = Breaker(threshold=0, pause_s=10, clock=lambda: 0.0)
    breaker.failed()

    breaker.check("host")
