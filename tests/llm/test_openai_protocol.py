"""Every request we make is one that OpenAI takes: held against its SDK's types and its rules for strict schemas."""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest
from pydantic import BaseModel, SecretStr

import handrail
from handrail.llm.chat import connect_chat
from handrail.llm.prompts import RenderedPrompt
from handrail.settings import Llm
from tests.openai_protocol import complaint
from tests.scripted_openai import Fails, ScriptedOpenAI

pytestmark = pytest.mark.anyio

PROMPT = RenderedPrompt("answer", "You answer.", "How?", "1", "0" * 12, "local")
ASKING = ("answer", "classify", "converse", "understand", "verify", "learning", "retrieve", "tune", "calibrate")
MODELS = ("gpt-5-mini", "gpt-4.1-mini", "o4-mini", "qwen2.5-1.5b-instruct")


def outputs() -> Iterator[type[BaseModel]]:
    """Everything a language model is asked to write: the models of those modules that call `ask`."""
    for found in pkgutil.walk_packages(handrail.__path__, "handrail."):
        if found.name.split(".")[1] not in ASKING:
            continue
        module = import_module(found.name)
        source = inspect.getsource(module)
        for made in vars(module).values():
            if not (isinstance(made, type) and issubclass(made, BaseModel) and made.__module__ == found.name):
                continue
            if ".ask(" in source and f", {made.__name__}" in source:
                yield made


OUTPUTS = list(outputs())


async def refusal(provider: ScriptedOpenAI, output: type[BaseModel], heard: Any, **settings: Any) -> str | None:
    """Asks once, against a provider that has nothing to say; what the strict server held against the request."""
    provider.script(Fails(404))
    chosen = {"base_url": provider.url, "api_key": SecretStr("sk-test"), **settings}
    models = connect_chat(Llm(**chosen))
    try:
        with pytest.raises(handrail.errors.HandrailError):
            await models.answering.ask(PROMPT, output, heard)
    finally:
        await models.aclose()
    return complaint(provider.requests[0].body)


class Listening:
    async def __call__(self, text: str) -> None:
        """Hears nothing: the provider says nothing."""

    def reset(self) -> None: ...


def test_the_outputs_are_found() -> None:
    assert {"CitedAnswer", "StandaloneQuestion", "SearchQuery", "SupportJudgement", "ClassifiedMessage"} <= {
        output.__name__ for output in OUTPUTS
    }


@pytest.mark.parametrize("output", OUTPUTS, ids=lambda output: output.__name__)
async def test_every_output_is_a_schema_that_openai_takes(
    llm_provider: ScriptedOpenAI, output: type[BaseModel]
) -> None:
    assert await refusal(llm_provider, output, None, model="gpt-5-mini") is None


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("streamed", [False, True])
async def test_models_are_asked_in_their_own_terms(llm_provider: ScriptedOpenAI, model: str, streamed: bool) -> None:
    heard = Listening() if streamed else None
    assert await refusal(llm_provider, OUTPUTS[0], heard, model=model, max_output_tokens=300) is None
    assert bool(llm_provider.requests[0].body.get("stream")) is streamed


GOOD: dict[str, Any] = {"model": "gpt-4.1-mini", "messages": [{"role": "user", "content": "How?"}]}
LOOSE = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}


def schema(of: dict[str, Any]) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "out", "strict": True, "schema": of}}


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"top_k": 5}, "Unrecognized"),
        ({"messages": []}, "empty"),
        ({"messages": [{"role": "visitor", "content": "How?"}]}, "Invalid value"),
        ({"stream_options": {"include_usage": True}}, "only allowed"),
        ({"model": "gpt-5-mini", "temperature": 0.2}, "Unsupported"),
        ({"model": "gpt-5-mini", "max_tokens": 20}, "Unsupported"),
        ({"response_format": schema(LOOSE)}, "additionalProperties"),
        ({"response_format": schema({**LOOSE, "additionalProperties": False, "required": []})}, "required"),
        ({"response_format": schema({"type": "array", "items": {"type": "string"}})}, "object"),
    ],
)
def test_the_strict_server_refuses_what_openai_refuses(changes: dict[str, Any], says: str) -> None:
    assert complaint(GOOD) is None
    assert says in (complaint({**GOOD, **changes}) or "")
