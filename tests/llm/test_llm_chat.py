"""One typed call: what is sent, what comes back, and what happens when it does not."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from pydantic import BaseModel, SecretStr

from handrail.errors import HandrailError, PermanentError, RetryableError
from handrail.llm import LanguageModel
from handrail.llm.abilities import Known
from handrail.llm.chat import connect_chat
from handrail.llm.failures import RefusedByModel
from handrail.llm.meter import metering
from handrail.llm.prompts import RenderedPrompt
from handrail.settings import Llm
from tests.scripted_openai import Fails, Hangs, Raw, Refuses, Says, ScriptedOpenAI, Step

pytestmark = pytest.mark.anyio

KEY = "sk-test-0123456789"
PROMPT = RenderedPrompt("greet", "You greet.", "Say hello.", "1", "0" * 12, "local")
GOOD = Says({"text": "hello"})


class Greeting(BaseModel):
    """One greeting."""

    text: str


class Pauses:
    """Stands in for sleeping, and remembers for how long."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


@asynccontextmanager
async def connected(
    llm_provider: ScriptedOpenAI,
    pauses: Pauses | None = None,
    clock: Callable[[], float] = lambda: 0.0,
    **settings: Any,
) -> AsyncIterator[LanguageModel]:
    chosen: dict[str, Any] = {
        "base_url": llm_provider.url,
        "api_key": SecretStr(KEY),
        "model": "some-model",
        **settings,
    }
    models = connect_chat(Llm(**chosen), sleep=pauses or Pauses(), random=lambda: 1.0, clock=clock, known=Known())
    try:
        yield models.answering
    finally:
        await models.aclose()


async def failure(llm_provider: ScriptedOpenAI, *steps: Step, **settings: Any) -> HandrailError:
    llm_provider.script(*steps)
    async with connected(llm_provider, **settings) as model:
        with pytest.raises(HandrailError) as caught:
            await model.ask(PROMPT, Greeting)
    return caught.value


async def test_asks_for_the_json_schema_of_the_output_and_offers_no_tools(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(GOOD)

    async with connected(llm_provider) as model:
        reply = await model.ask(PROMPT, Greeting)

    assert reply.output == Greeting(text="hello")
    body = llm_provider.requests[0].body
    assert body["response_format"]["type"] == "json_schema"
    assert body["response_format"]["json_schema"]["schema"]["required"] == ["text"]
    assert body["response_format"]["json_schema"]["strict"] is True
    assert "tools" not in body and "tool_choice" not in body
    assert llm_provider.requests[0].system == "You greet."
    assert llm_provider.requests[0].user == "Say hello."


async def test_sends_temperature_only_when_it_is_set(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(GOOD)

    async with connected(llm_provider) as model:
        await model.ask(PROMPT, Greeting)
    async with connected(llm_provider, temperature=0.2) as model:
        await model.ask(PROMPT, Greeting)

    assert "temperature" not in llm_provider.requests[0].body
    assert llm_provider.requests[1].body["temperature"] == 0.2


@pytest.mark.parametrize(
    ("model_name", "limit", "effort"),
    [("gpt-5-mini", "max_completion_tokens", "minimal"), ("SmolLM2-135M-Instruct", "max_tokens", None)],
)
async def test_speaks_to_reasoning_models_and_to_local_servers_in_their_own_terms(
    llm_provider: ScriptedOpenAI, model_name: str, limit: str, effort: str | None
) -> None:
    llm_provider.script(GOOD)

    async with connected(llm_provider, model=model_name, max_output_tokens=321) as model:
        await model.ask(PROMPT, Greeting)

    body = llm_provider.requests[0].body
    assert body[limit] == 321
    assert body.get("reasoning_effort") == effort


async def test_a_base_url_alone_is_enough(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(GOOD)

    async with connected(llm_provider, api_key=None) as model:
        await model.ask(PROMPT, Greeting)

    assert llm_provider.requests[0].authorization == "Bearer not-needed"


async def test_counts_tokens_and_money(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(Says({"text": "hi"}, input_tokens=2000, output_tokens=500))

    with metering() as meter:
        async with connected(llm_provider, usd_per_million_input=0.25, usd_per_million_output=2.0) as model:
            reply = await model.ask(PROMPT, Greeting)

    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (2000, 500)
    assert reply.usage.cost_usd == pytest.approx(0.0015)
    assert meter.usage == reply.usage
    assert meter.by_model == {model.name: reply.usage}


async def test_a_busy_provider_is_asked_again_when_it_says_so(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(Fails(429, {"Retry-After": "3"}), GOOD)
    pauses = Pauses()

    async with connected(llm_provider, pauses) as model:
        reply = await model.ask(PROMPT, Greeting)

    assert reply.output.text == "hello"
    assert pauses.seconds == [3.0]
    assert len(llm_provider.requests) == 2


async def test_a_provider_that_asks_for_a_long_pause_is_left_alone(llm_provider: ScriptedOpenAI) -> None:
    error = await failure(llm_provider, Fails(429, {"Retry-After": "60"}))

    assert isinstance(error, RetryableError)
    assert "wait 60 s" in str(error)
    assert len(llm_provider.requests) == 1


async def test_a_server_error_is_retried_with_growing_pauses_by_one_layer(
    llm_provider: ScriptedOpenAI,
) -> None:
    llm_provider.script(Fails(500))
    pauses = Pauses()

    async with connected(llm_provider, pauses, retries=2) as model:
        with pytest.raises(RetryableError, match="HTTP 500"):
            await model.ask(PROMPT, Greeting)

    assert len(llm_provider.requests) == 3
    assert pauses.seconds == [0.5, 1.0]


async def test_one_server_error_costs_nothing_but_time(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(Fails(500), GOOD)

    async with connected(llm_provider) as model:
        reply = await model.ask(PROMPT, Greeting)

    assert reply.usage.input_tokens == 100


@pytest.mark.parametrize(
    ("status", "error", "advice"),
    [
        (401, {"message": f"Incorrect API key provided: {KEY}"}, "the key in OPENAI_API_KEY was refused by 127.0.0.1"),
        (404, {"message": "no such model", "code": "model_not_found"}, "has no model 'some-model'"),
        (429, {"message": "no credit", "code": "insufficient_quota", "type": "insufficient_quota"}, "no credit left"),
        (400, {"message": "too long", "code": "context_length_exceeded"}, "lower prompts.context_tokens"),
    ],
)
async def test_what_must_be_changed_first_is_said_and_not_retried(
    llm_provider: ScriptedOpenAI, status: int, error: dict[str, str], advice: str
) -> None:
    raised = await failure(llm_provider, Fails(status, error=error))

    assert isinstance(raised, PermanentError)
    assert advice in str(raised)
    assert len(llm_provider.requests) == 1


async def test_a_request_that_is_refused_whatever_is_left_out_is_given_up(llm_provider: ScriptedOpenAI) -> None:
    raised = await failure(llm_provider, Fails(422, error={"message": "json_schema is not supported"}))

    assert isinstance(raised, PermanentError)
    assert "HTTP 422" in str(raised)
    formats = [request.body.get("response_format", {}).get("type") for request in llm_provider.requests]
    assert formats == ["json_schema", "json_object", None]


async def test_no_error_shows_the_key_even_when_the_provider_repeats_it(llm_provider: ScriptedOpenAI) -> None:
    raised = await failure(llm_provider, Fails(401, error={"message": f"bad key {KEY}"}))

    assert llm_provider.requests[0].authorization == f"Bearer {KEY}"
    assert KEY not in str(raised)
    assert raised.__cause__ is None and raised.__suppress_context__


async def test_invalid_output_is_corrected_once(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(Says('{"words": "hello"}'), GOOD)

    async with connected(llm_provider) as model:
        reply = await model.ask(PROMPT, Greeting)

    assert reply.output.text == "hello"
    assert reply.usage.input_tokens == 200
    assert len(llm_provider.requests) == 2


@pytest.mark.parametrize("content", ["no JSON at all", "{}", '{"text": 7'])
async def test_output_that_stays_invalid_is_retryable_and_still_paid_for(
    llm_provider: ScriptedOpenAI, content: str
) -> None:
    with metering() as meter:
        raised = await failure(llm_provider, Says(content))

    assert isinstance(raised, RetryableError)
    assert "JSON" in str(raised) and content not in str(raised).split()
    assert len(llm_provider.requests) == 2
    assert meter.usage.output_tokens == 40


async def test_a_refusal_is_not_asked_again(llm_provider: ScriptedOpenAI) -> None:
    assert isinstance(await failure(llm_provider, Refuses()), RefusedByModel)
    assert len(llm_provider.requests) == 1


async def test_a_reply_cut_off_names_the_setting(llm_provider: ScriptedOpenAI) -> None:
    raised = await failure(llm_provider, Says('{"text": "hel', finish_reason="length"))

    assert isinstance(raised, PermanentError)
    assert "llm.max_output_tokens" in str(raised)


@pytest.mark.parametrize("answer", [Raw("<html>hello</html>", "text/html"), Raw("{oops")])
async def test_a_server_of_another_kind_names_the_base_url(llm_provider: ScriptedOpenAI, answer: Raw) -> None:
    raised = await failure(llm_provider, answer)

    assert isinstance(raised, PermanentError)
    assert "OPENAI_BASE_URL" in str(raised)


async def test_a_provider_that_hangs_is_given_up_in_time(llm_provider: ScriptedOpenAI) -> None:
    raised = await failure(llm_provider, Hangs(5), timeout_s=0.3)

    assert isinstance(raised, RetryableError)
    assert "0.3 s" in str(raised)


async def test_nobody_listening_is_retryable_and_says_where(llm_provider: ScriptedOpenAI) -> None:
    raised = await failure(llm_provider, GOOD, base_url="http://127.0.0.1:9/v1", retries=1)

    assert isinstance(raised, RetryableError)
    assert "127.0.0.1:9 could not be reached" in str(raised)


async def test_a_provider_that_keeps_failing_is_left_alone_for_a_while(llm_provider: ScriptedOpenAI) -> None:
    now = 100.0
    llm_provider.script(Fails(503), Fails(503), GOOD)

    async with connected(llm_provider, clock=lambda: now, retries=0, breaker_after=2, breaker_pause_s=30) as model:
        for _ in range(3):
            with pytest.raises(RetryableError):
                await model.ask(PROMPT, Greeting)
        asked_while_open = len(llm_provider.requests)
        now += 31
        reply = await model.ask(PROMPT, Greeting)

    assert asked_while_open == 2
    assert reply.output.text == "hello"


async def test_a_refused_key_does_not_count_as_an_outage(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(Fails(401))

    async with connected(llm_provider, breaker_after=1) as model:
        for _ in range(2):
            with pytest.raises(PermanentError):
                await model.ask(PROMPT, Greeting)

    assert len(llm_provider.requests) == 2


async def test_the_small_model_is_the_answering_one_unless_named(llm_provider: ScriptedOpenAI) -> None:
    alone = connect_chat(Llm(base_url=llm_provider.url, model="big"))
    both = connect_chat(Llm(base_url=llm_provider.url, model="big", small_model="little"))

    assert alone.small is alone.answering
    assert (both.answering.name, both.small.name) == ("big", "little")
    await alone.aclose()
    await both.aclose()
