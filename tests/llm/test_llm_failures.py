"""Providers that misbehave: what the turn is told, one sentence in the log, and the count by kind."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from handrail.errors import HandrailError
from handrail.llm.deadline import until
from handrail.llm.health import FORGOTTEN_AFTER, Health
from handrail.llm.kinds import Failure
from handrail.llm.meter import metering
from tests.llm.test_llm_abilities import GOOD, PROMPT, TEXT, Greeting, Heard, connected
from tests.llm_servers import takes_anything
from tests.scripted_openai import Fails, Hangs, Raw, Refuses, Says, ScriptedOpenAI, Step, Streams

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def in_body(code: object) -> Raw:
    return Raw(json.dumps({"id": None, "choices": None, "error": {"message": "upstream said no", "code": code}}))


async def failed(provider: ScriptedOpenAI, steps: list[Step], streamed: bool, **settings: Any) -> tuple[str, Health]:
    """The failure that the turn is told, and the provider's health after it."""
    provider.script(*steps, refuses=takes_anything)
    async with connected(provider, **settings) as models:
        with pytest.raises(HandrailError) as caught, metering() as meter:
            await models.answering.ask(PROMPT, Greeting, Heard() if streamed else None)
    assert [attempt.reason for attempt in meter.attempts] == [caught.value.reason]
    return caught.value.reason, models.health


@pytest.mark.parametrize(
    ("failure", "steps"),
    [
        (Failure.BUSY, [Fails(429)]),
        (Failure.BUSY, [Fails(429, {"Retry-After": "60"})]),
        (Failure.BUSY, [in_body(429)]),
        (Failure.KEY_REFUSED, [in_body(401)]),
        (Failure.NO_CREDIT, [in_body(402)]),
        (Failure.SERVER_ERROR, [Fails(503)]),
        (Failure.SERVER_ERROR, [in_body(502)]),
        (Failure.SERVER_ERROR, [in_body("internal_error")]),
        (Failure.KEY_REFUSED, [Fails(401)]),
        (Failure.NO_MODEL, [Fails(404)]),
        (Failure.DECLINED, [Refuses()]),
        (Failure.DECLINED, [Says("", finish_reason="content_filter")]),
        (Failure.DECLINED, [Says(TEXT, finish_reason="content_filter")]),
        (Failure.DECLINED, [Fails(400, error={"message": "filtered", "code": "content_filter"})]),
        (Failure.EMPTY, [Says("")]),
        (Failure.EMPTY, [Says("  \n")]),
        (Failure.NOT_JSON, [Says("Hello!")]),
        (Failure.NOT_JSON, [Says(f"<think>{TEXT}")]),
        (Failure.WRONG_SCHEMA, [Says({"words": "hello"})]),
        (Failure.CUT_OFF, [Says('{"text": "hel', finish_reason="length")]),
        (Failure.OTHER_PROTOCOL, [Raw("<html>hello</html>", "text/html")]),
    ],
)
async def test_a_failure_is_named_logged_once_and_counted(
    llm_provider: ScriptedOpenAI, caplog: pytest.LogCaptureFixture, failure: Failure, steps: list[Step]
) -> None:
    with caplog.at_level(logging.WARNING, "handrail.llm"):
        told, health = await failed(llm_provider, steps, streamed=False)

    assert told == failure.value
    assert health.counts == Counter({("llm", failure): 1})
    [line] = caplog.messages
    assert line.startswith("llm failed at greet: ") and line.endswith(f"({failure.value}, 1 since start)")
    assert "upstream said no" not in line and "Hello!" not in line
    assert [problem.failure for problem in health.problems()] == ([] if failure is Failure.DECLINED else [failure])


@pytest.mark.parametrize(
    ("failure", "steps"),
    [
        (Failure.SLOW_START, [Streams(TEXT, first_s=30)]),
        (Failure.STALLED, [Streams(TEXT, token_chars=3, stalls_after=2)]),
        (Failure.STALLED, [Streams("<think>hm hm hm", token_chars=3, stalls_after=3)]),
        (Failure.ENDLESS, [Streams("word " * 20, repeats=True)]),
        (Failure.ENDLESS, [Streams("<think>" + "hm " * 40, repeats=True)]),
        (Failure.UNREACHABLE, [Streams(TEXT, token_chars=3, breaks_after=3)]),
        (Failure.SERVER_ERROR, [Streams(TEXT, token_chars=3, error_after=3)]),
        (Failure.SERVER_ERROR, [Streams(TEXT, error_after=0, error={"message": "no"})]),
        (Failure.BUSY, [Streams(TEXT, error_after=0, error={"message": "no", "code": 429})]),
        (Failure.TIMEOUT, [Streams(TEXT, first_s=0.0, gap_s=0.4, token_chars=1)]),
    ],
)
async def test_a_stream_that_fails_is_named_logged_once_and_counted(
    llm_provider: ScriptedOpenAI, caplog: pytest.LogCaptureFixture, failure: Failure, steps: list[Step]
) -> None:
    with caplog.at_level(logging.WARNING, "handrail.llm"):
        told, health = await failed(llm_provider, steps, streamed=True, stall_s=1.0, timeout_s=3.0)

    assert told == failure.value
    assert health.counts == Counter({("llm", failure): 1})
    [line] = [record.getMessage() for record in caplog.records if record.name == "handrail.llm"]
    assert line.endswith(f"({failure.value}, 1 since start)")


async def test_a_provider_that_hangs_is_named(llm_provider: ScriptedOpenAI) -> None:
    told, _ = await failed(llm_provider, [Hangs(30)], streamed=False, timeout_s=0.5)

    assert told == Failure.TIMEOUT


async def test_a_provider_that_is_left_alone_is_said_once(
    llm_provider: ScriptedOpenAI, caplog: pytest.LogCaptureFixture
) -> None:
    llm_provider.script(Fails(503))

    async with connected(llm_provider, breaker_after=1) as models:
        for _ in range(3):
            with pytest.raises(HandrailError):
                await models.answering.ask(PROMPT, Greeting)
        [problem] = models.health.problems()

    assert problem.failure is Failure.SERVER_ERROR
    assert models.health.counts == Counter({("llm", Failure.SERVER_ERROR): 1, ("llm", Failure.SKIPPED): 2})
    assert len(caplog.messages) == 1


async def test_a_stage_whose_time_is_over_says_so_and_a_visitor_who_leaves_does_not(
    llm_provider: ScriptedOpenAI,
) -> None:
    llm_provider.script(Hangs(30))

    async with connected(llm_provider) as models:
        now = asyncio.get_running_loop().time()
        with until(now + 0.3), pytest.raises(TimeoutError):
            async with asyncio.timeout_at(now + 0.3):
                await models.answering.ask(PROMPT, Greeting)
        late = models.health.counts.copy()
        with until(now + 60), pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3):
                await models.answering.ask(PROMPT, Greeting)

    assert late == models.health.counts == Counter({("llm", Failure.LATE): 1})


async def test_a_problem_lasts_until_the_same_works_again(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(Fails(503), Fails(503), GOOD)

    async with connected(llm_provider) as models:
        for _ in range(2):
            with pytest.raises(HandrailError):
                await models.answering.ask(PROMPT, Greeting)
        [problem] = models.health.problems()
        await models.answering.ask(PROMPT, Greeting)
        after = models.health.problems()

    assert (problem.provider, problem.task, problem.failure) == ("llm", "greet", Failure.SERVER_ERROR)
    assert problem.since < problem.seen
    assert after == ()


def test_what_one_task_fails_at_is_not_put_right_by_another() -> None:
    now = NOW
    health = Health(lambda: now)
    health.failed("llm", "m", "critique", Failure.NOT_JSON, "no JSON")
    health.failed("llm", "m", "answer", Failure.UNREACHABLE, "away")
    health.failed("spare", "m", "answer", Failure.UNREACHABLE, "away")

    health.succeeded("llm", "classify")
    first = [(problem.provider, problem.task) for problem in health.problems()]
    now += FORGOTTEN_AFTER + timedelta(seconds=1)
    later = [(problem.provider, problem.task) for problem in health.problems()]

    assert first == [("llm", "critique"), ("spare", "answer")]
    assert later == [("spare", "answer")]


def test_every_failure_has_words() -> None:
    assert all(failure.says for failure in Failure)
