"""How endpoints are asked that take less than OpenAI, and what is remembered of them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from pydantic import BaseModel

from handrail.errors import HandrailError, PermanentError, RetryableError
from handrail.llm import LanguageModels
from handrail.llm.abilities import Known
from handrail.llm.chat import connect_chat
from handrail.llm.meter import Bounds, metering
from handrail.llm.prompts import RenderedPrompt
from handrail.settings import Llm
from tests import llm_servers as servers
from tests.scripted_openai import Fails, Raw, Refusal, Says, ScriptedOpenAI, Step, Streams

pytestmark = pytest.mark.anyio

PROMPT = RenderedPrompt("greet", "You greet.", "Say hello.", "1", "0" * 12, "local")


class Greeting(BaseModel):
    """One greeting."""

    text: str


GOOD = Says({"text": "hello"})
TEXT = json.dumps({"text": "hello"})


class Heard:
    def __init__(self) -> None:
        self.texts: list[str] = []

    async def __call__(self, text: str) -> None:
        self.texts.append(text)


@asynccontextmanager
async def connected(provider: ScriptedOpenAI, known: Known | None = None, **more: Any) -> AsyncIterator[LanguageModels]:
    chosen: dict[str, Any] = {"base_url": provider.url, "model": "m", "retries": 0, **more}
    models = connect_chat(Llm(**chosen), known=known or Known())
    try:
        yield models
    finally:
        await models.aclose()


def asked(provider: ScriptedOpenAI) -> list[str | None]:
    return [request.body.get("response_format", {}).get("type") for request in provider.requests]


@pytest.mark.parametrize(
    ("refuses", "more", "formats"),
    [
        (servers.takes_anything, {}, ["json_schema"]),
        (servers.vllm, {}, ["json_schema"]),
        (servers.old_vllm, {}, ["json_schema", "json_object"]),
        (servers.old_vllm, {"model": "gpt-5-mini"}, ["json_schema", "json_schema", "json_object"]),
        (servers.deepseek, {}, ["json_schema", "json_object"]),
        (servers.mistral, {"model": "gpt-5-mini"}, ["json_schema", "json_schema", "json_schema"]),
        (servers.text_only, {}, ["json_schema", "json_object", None]),
        (servers.strict_temperature, {"temperature": 0.2}, ["json_schema", "json_schema"]),
        (servers.new_limit_only, {}, ["json_schema", "json_schema"]),
    ],
)
async def test_what_is_refused_is_left_out_at_once_and_not_sent_again(
    llm_provider: ScriptedOpenAI,
    caplog: pytest.LogCaptureFixture,
    refuses: Refusal,
    more: dict[str, Any],
    formats: list[str | None],
) -> None:
    llm_provider.script(GOOD, refuses=refuses)

    async with connected(llm_provider, **more) as models:
        first = await models.answering.ask(PROMPT, Greeting)
        tried = asked(llm_provider)
        again = await models.answering.ask(PROMPT, Greeting)
        problems = models.health.problems()

    assert first.output == again.output == Greeting(text="hello")
    assert tried == formats
    assert len(llm_provider.requests) == len(formats) + 1
    assert problems == ()
    assert ("asked differently" in caplog.text) is (len(formats) > 1)


async def test_without_a_schema_in_the_request_the_model_reads_it(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(GOOD, refuses=servers.deepseek)

    async with connected(llm_provider) as models:
        await models.answering.ask(PROMPT, Greeting)

    refused, taken = llm_provider.requests
    assert '"text"' not in refused.system
    assert '"text"' in taken.system and "You greet." in taken.system


async def test_a_reply_to_a_lesser_request_is_corrected_once(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(Says("Hello!"), GOOD, refuses=servers.deepseek)

    async with connected(llm_provider) as models:
        with metering(Bounds(requests=3)):
            reply = await models.answering.ask(PROMPT, Greeting)
        llm_provider.script(Says("Hello!"), refuses=servers.deepseek)
        with metering(Bounds(requests=1)), pytest.raises(HandrailError):
            await models.answering.ask(PROMPT, Greeting)

    assert reply.output.text == "hello"
    assert asked(llm_provider) == ["json_object"]


async def test_an_empty_stream_is_no_reason_to_stop_streaming(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(Streams(""), GOOD)

    async with connected(llm_provider) as models:
        for _ in range(2):
            await models.answering.ask(PROMPT, Greeting, Heard())

    assert all(request.body.get("stream") for request in llm_provider.requests)


async def test_what_was_learnt_lasts_for_the_same_model_at_the_same_address(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(GOOD, refuses=servers.new_limit_only)
    known = Known()

    for model in ("m", "m", "other"):
        async with connected(llm_provider, known, model=model) as models:
            await models.answering.ask(PROMPT, Greeting)

    limits = ["max_tokens" if "max_tokens" in request.body else "new" for request in llm_provider.requests]
    assert limits == ["max_tokens", "new", "new", "max_tokens", "new"]


async def test_what_did_not_help_is_not_remembered(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(Fails(400, error={"message": "no"}))

    async with connected(llm_provider) as models:
        with pytest.raises(PermanentError):
            await models.answering.ask(PROMPT, Greeting)
        llm_provider.script(GOOD)
        await models.answering.ask(PROMPT, Greeting)

    assert asked(llm_provider) == ["json_schema"]


async def test_an_endpoint_that_ignores_the_schema_is_told_it_in_words(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(Says("Hello there!"), GOOD, refuses=servers.takes_anything)

    async with connected(llm_provider) as models:
        await models.answering.ask(PROMPT, Greeting)
        await models.answering.ask(PROMPT, Greeting)

    assert asked(llm_provider) == ["json_schema"] * 3
    assert ['"text"' in request.system for request in llm_provider.requests] == [False, True, True]


@pytest.mark.parametrize(
    "step",
    [
        Says(f"<think>\nA greeting. {{hm}}\n</think>\n\n{TEXT}"),
        Says(f"So a greeting it is.\n</think>\n{TEXT}"),
        Says(f"<thought>Easy.</thought>```json\n{TEXT}\n```"),
        Says(TEXT, beside={"reasoning": "Easy."}),
        Says(TEXT, beside={"reasoning_content": "Easy."}, finish_reason=None),
        Says(f"Sure! {TEXT} Anything else?"),
        Says(TEXT[:-1]),
        Says(TEXT[:-1], finish_reason="length"),
    ],
)
async def test_reasoning_and_prose_around_the_json_cost_no_second_request(
    llm_provider: ScriptedOpenAI, step: Step
) -> None:
    llm_provider.script(step, refuses=servers.takes_anything)

    async with connected(llm_provider) as models:
        reply = await models.answering.ask(PROMPT, Greeting)

    assert reply.output.text == "hello"
    assert len(llm_provider.requests) == 1


@pytest.mark.parametrize("token_chars", [1, 2, 5, 8, 9, 1000])
@pytest.mark.parametrize(
    ("before", "after", "reasoning"),
    [
        ("<think>\nA {greeting}.\n</think>\n\n", "", ""),
        ("<think></think>", "", ""),
        ("A greeting.</think>", "", ""),
        ("<thought>Easy.</thought>```json\n", "\n```\nDone.", ""),
        ("", "", "A greeting."),
    ],
)
async def test_reasoning_is_taken_out_of_streams_however_they_are_cut(
    llm_provider: ScriptedOpenAI, token_chars: int, before: str, after: str, reasoning: str
) -> None:
    step = Streams(before + TEXT + after, token_chars=token_chars, reasoning=reasoning)
    llm_provider.script(step, refuses=servers.takes_anything)
    heard = Heard()

    async with connected(llm_provider) as models:
        reply = await models.answering.ask(PROMPT, Greeting, heard)

    assert reply.output.text == "hello"
    assert heard.texts and heard.texts[-1].startswith(TEXT)
    assert all((TEXT + after).startswith(text) for text in heard.texts)
    assert len(llm_provider.requests) == 1


@pytest.mark.parametrize("usage", [True, False])
async def test_streams_of_servers_without_usage_are_read(llm_provider: ScriptedOpenAI, usage: bool) -> None:
    llm_provider.script(Streams(TEXT, usage=usage), refuses=servers.takes_anything)

    async with connected(llm_provider) as models:
        reply = await models.answering.ask(PROMPT, Greeting, Heard())

    assert reply.output.text == "hello"


@pytest.mark.parametrize("refuses", [servers.only_whole, servers.no_stream_options])
async def test_an_endpoint_that_does_not_stream_is_asked_for_whole_replies(
    llm_provider: ScriptedOpenAI, refuses: Refusal
) -> None:
    llm_provider.script(GOOD, refuses=refuses)
    heard = Heard()

    async with connected(llm_provider) as models:
        for _ in range(2):
            await models.answering.ask(PROMPT, Greeting, heard)

    assert [bool(request.body.get("stream")) for request in llm_provider.requests] == [True, False, False]
    assert heard.texts == []


async def test_a_whole_reply_to_a_request_for_a_stream_is_asked_for_as_one(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(Raw('{"object": "chat.completion", "choices": []}'), GOOD)

    async with connected(llm_provider) as models:
        reply = await models.answering.ask(PROMPT, Greeting, Heard())

    assert reply.output.text == "hello"
    assert [bool(request.body.get("stream")) for request in llm_provider.requests] == [True, False]


async def test_downgrades_count_against_what_a_turn_may_ask(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(GOOD, refuses=servers.text_only)

    async with connected(llm_provider) as models:
        with metering(Bounds(requests=2)), pytest.raises(PermanentError):
            await models.answering.ask(PROMPT, Greeting)

    assert len(llm_provider.requests) == 2


async def test_a_window_that_is_too_small_names_both_settings(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(GOOD, refuses=servers.vllm)

    async with connected(llm_provider, max_output_tokens=8000) as models:
        with pytest.raises(PermanentError, match=r"prompts\.context_tokens or llm\.max_output_tokens"):
            await models.answering.ask(PROMPT, Greeting)

    assert len(llm_provider.requests) == 1


async def test_reasoning_that_never_ends_is_no_answer(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(Says(f"<think>Perhaps {TEXT}"), refuses=servers.takes_anything)

    async with connected(llm_provider) as models:
        with pytest.raises(RetryableError):
            await models.answering.ask(PROMPT, Greeting)
