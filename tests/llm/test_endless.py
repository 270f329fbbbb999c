"""A model that goes on and on without saying the same thing twice is given up, and another one is asked."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from handrail.answer.llm import CitedAnswer
from handrail.llm.kinds import Failure, Stalled
from tests.llm.test_llm_chat import connected
from tests.llm.test_repeats import PROMPT
from tests.scripted_openai import Endless, Quotes, ScriptedOpenAI, scripted_openai
from tests.stages import STEPS

pytestmark = pytest.mark.anyio

BOUND_S = 10.0
"""Two seconds are promised; a busy machine takes longer for the same steps."""
PATIENT: dict[str, Any] = {"retries": 0, "stall_s": 5.0, "timeout_s": 60.0}
BEGUN = '{"claims": [{"text": "Open it'


def claim(number: int) -> str:
    made = {"text": f"Step {number} is to open page {number * number}.", "passage_ids": [STEPS.id]}
    return json.dumps(made) + ", "


def after(begun: str, write: Callable[[int], str]) -> Callable[[int], str]:
    return lambda number: begun if number == 0 else write(number)


FAST = {
    "words": Endless(after(BEGUN, lambda n: f" word{n * n}")),
    "claims": Endless(after('{"claims": [', claim)),
    "prose before any claim": Endless(lambda n: f"Well, point {n * n}. "),
    "reasoning": Endless(lambda n: f"Or is it {n * n}? ", beside=True),
    "blanks": Endless(after(BEGUN, lambda n: " " * (1 + n * n % 7))),
}
SLOW = {
    "dots": Endless(after(BEGUN, lambda n: "." * (1 + n * n % 3)), gap_s=0.05),
    "blanks": Endless(after(BEGUN, lambda n: " \n\t"[n * n % 3]), gap_s=0.05),
    "dots from the start": Endless(lambda n: "." * (1 + n * n % 3), gap_s=0.05),
    "nothing at all": Endless(after(BEGUN, lambda _: ""), gap_s=0.05),
    "dots of reasoning": Endless(lambda n: "." * (1 + n * n % 3), gap_s=0.05, beside=True),
}


async def given_up(provider: ScriptedOpenAI, endless: Endless, **settings: Any) -> tuple[Stalled, float]:
    provider.script(endless)
    start = time.monotonic()
    async with connected(provider, **{**PATIENT, **settings}) as model:
        with pytest.raises(Stalled) as raised:
            await model.ask(PROMPT, CitedAnswer, _listen)
    return raised.value, time.monotonic() - start


async def _listen(_text: str) -> None:
    await asyncio.sleep(0)


@pytest.mark.parametrize("endless", FAST.values(), ids=FAST)
async def test_a_fast_one_is_given_up_at_the_length_that_a_reply_may_have(
    llm_provider: ScriptedOpenAI, endless: Endless
) -> None:
    error, seconds = await given_up(llm_provider, endless)

    assert error.reason == Failure.ENDLESS
    assert seconds < BOUND_S


@pytest.mark.parametrize("endless", SLOW.values(), ids=SLOW)
async def test_a_slow_one_that_says_nothing_is_given_up_like_one_that_is_silent(
    llm_provider: ScriptedOpenAI, endless: Endless
) -> None:
    error, seconds = await given_up(llm_provider, endless)

    assert error.reason in (Failure.ENDLESS, Failure.STALLED)
    assert seconds < BOUND_S


async def test_even_one_that_drips_is_given_up_once_it_has_said_nothing_for_as_long_as_a_stall(
    llm_provider: ScriptedOpenAI,
) -> None:
    drips = Endless(after(BEGUN, lambda _: "."), gap_s=0.4)
    error, seconds = await given_up(llm_provider, drips, stall_s=1.0)

    assert error.reason == Failure.ENDLESS
    assert seconds < BOUND_S


async def test_a_slow_one_that_goes_on_with_words_has_the_time_of_a_call(llm_provider: ScriptedOpenAI) -> None:
    wordy = Endless(after(BEGUN, lambda n: f" word{n * n}"), gap_s=0.1)
    error, seconds = await given_up(llm_provider, wordy, timeout_s=2.0)

    assert error.reason == Failure.TIMEOUT
    assert 1.9 < seconds < BOUND_S


async def test_rules_and_pauses_within_an_answer_are_none(llm_provider: ScriptedOpenAI) -> None:
    rule = "| a | b |" + "|-" * 30 + "| 1 | 2 |"
    said = json.dumps({"claims": [{"text": rule, "passage_ids": [STEPS.id]}], "answered": "fully"})
    pieces = list(said)
    llm_provider.script(Endless(lambda n: pieces[n] if n < len(pieces) else "!", gap_s=0.02))
    heard: list[str] = []

    async def listen(text: str) -> None:
        heard.append(text)

    async with connected(llm_provider, **PATIENT) as model:
        with pytest.raises(Stalled):
            await model.ask(PROMPT, CitedAnswer, listen)

    assert '"answered": "fully"' in heard[-1]


@pytest.mark.parametrize("endless", [FAST["words"], SLOW["dots"]], ids=["fast", "slow"])
async def test_another_provider_answers_in_its_place(llm_provider: ScriptedOpenAI, endless: Endless) -> None:
    llm_provider.script(endless)
    start = time.monotonic()
    with scripted_openai() as spare:
        spare.script(Quotes(first_s=0.0, gap_s=0.0))
        fallback = {"name": "spare", "base_url": spare.url, "model": "m-2"}
        async with connected(llm_provider, fallbacks=[fallback], **PATIENT) as model:
            reply = await model.ask(PROMPT, CitedAnswer, _listen)

    assert reply.provider == "spare"
    assert [claim.text for claim in reply.output.claims] == ["Open it."]
    assert time.monotonic() - start < BOUND_S
