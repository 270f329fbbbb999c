"""A prompt from Langfuse, rendered, sent to a model and traced: the parts together, over real HTTP on both sides."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pydantic import BaseModel

from handrail.errors import RetryableError
from handrail.llm import LanguageModel, connect
from handrail.llm.prompts import LocalPrompts, PromptLibrary
from handrail.observe.langfuse import LangfuseSink
from handrail.observe.prompts import LangfusePrompts
from handrail.observe.recorder import Recorder
from handrail.observe.registry import PromptRegistry
from handrail.observe.replay import Kept
from handrail.observe.trace import document
from handrail.settings import Llm
from tests.observe.langfuse_server import LangfuseServer
from tests.observe.test_langfuse_prompts import template
from tests.observe.turns import finished, new_id, question
from tests.scripted_openai import Fails, Says, ScriptedOpenAI

pytestmark = pytest.mark.anyio


class Answer(BaseModel):
    text: str


@pytest.fixture
async def model(llm_provider: ScriptedOpenAI) -> AsyncIterator[LanguageModel]:
    prices = {"usd_per_million_input": 2.0, "usd_per_million_output": 10.0}
    models = connect(Llm.model_validate({"base_url": llm_provider.url, "retries": 0, **prices}))
    yield models.answering
    await models.aclose()


async def test_a_traced_call_links_the_registered_prompt_and_counts_what_it_took(
    langfuse: LangfuseServer, llm_provider: ScriptedOpenAI, model: LanguageModel, tmp_path: Path
) -> None:
    (tmp_path / "answer.j2").write_text(template("local"))
    langfuse.register("answer", template("older"))
    langfuse.register("answer", template("registered"), "production")
    llm_provider.script(Says({"text": "Ask eve@example.com."}, input_tokens=1000, output_tokens=50, cached_tokens=400))
    prompts = LangfusePrompts(
        PromptRegistry(langfuse.settings()), LocalPrompts(tmp_path), ttl_s=300, label="production"
    )
    prompts.warm(5)
    kept = Kept()
    tracer = Recorder(new_id, [LangfuseSink(langfuse.settings()), kept])
    asked = question()

    with tracer.turn(asked) as trace:
        with trace.stage("generate"):
            rendered = PromptLibrary(prompts).render("answer", message=asked.text)
            await model.ask(rendered, Answer)
        trace.finish(finished(asked, trace.id))
    tracer.close()
    prompts.close()

    spans = {span.name: span for span in langfuse.spans}
    call = spans["answer"].attributes
    assert spans["answer"].parent_id == spans["generate"].id
    assert (call["langfuse.observation.prompt.name"], call["langfuse.observation.prompt.version"]) == ("answer", 2)
    tokens = {"input": 1000, "output": 50, "input_cached_tokens": 400}
    assert json.loads(call["langfuse.observation.usage_details"]) == tokens
    assert json.loads(call["langfuse.observation.cost_details"]) == {"total": pytest.approx(0.0025)}
    assert json.loads(call["langfuse.observation.input"])[0] == {"role": "system", "content": "registered"}
    assert json.loads(call["langfuse.observation.output"]) == {"text": "Ask [e-mail removed]."}
    assert kept.record is not None
    (stored,) = document(kept.record)["stages"][0]["stages"]
    assert stored["tokens"] == {"input": 1000, "output": 50, "cached": 400}
    assert (stored["prompt"]["version"], stored["output"]) == ("2", {"text": "Ask [e-mail removed]."})


async def test_a_failed_call_is_an_error_in_the_trace(
    langfuse: LangfuseServer, llm_provider: ScriptedOpenAI, model: LanguageModel, tmp_path: Path
) -> None:
    (tmp_path / "answer.j2").write_text(template("local"))
    llm_provider.script(Fails(500))
    tracer = Recorder(new_id, [LangfuseSink(langfuse.settings())])
    rendered = PromptLibrary(LocalPrompts(tmp_path)).render("answer", message="hi")

    with tracer.turn(question()) as trace, pytest.raises(RetryableError), trace.stage("generate"):
        await model.ask(rendered, Answer)
    tracer.close()

    call = next(span for span in langfuse.spans if span.name == "answer").attributes
    assert call["langfuse.observation.level"] == "ERROR"
    assert "HTTP 500" in call["langfuse.observation.status_message"]
