"""What a turn looks like when it arrives at Langfuse."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from importlib.metadata import version
from itertools import count
from typing import Any

import pytest
from opentelemetry import trace as opentelemetry_trace

from handrail.llm.generations import generation
from handrail.observe import TurnTrace
from handrail.observe.langfuse import LangfuseSink
from handrail.observe.recorder import Recorder
from handrail.types import Question
from tests.observe.langfuse_server import PUBLIC_KEY, LangfuseServer, SeenSpan
from tests.observe.turns import CONVERSATION, SECRETS, TEXT, finished, new_id, prompt, question

MS = 1_000_000


@pytest.fixture
def tracer(langfuse: LangfuseServer) -> Iterator[Recorder]:
    ticks = count(1_700_000_000_000 * MS, 10 * MS)
    tracer = Recorder(new_id, [LangfuseSink(langfuse.settings())], clock=lambda: next(ticks))
    yield tracer
    tracer.close()


def answer_with_llm(trace: TurnTrace, asked: Question) -> None:
    with trace.stage("classify") as span:
        span.record(output="answerable", probability=0.97)
    with trace.stage("retrieve") as span:
        span.record(output=["billing:cards/1"])
    with trace.stage("generate") as span:
        with generation("answer", "gpt-5-mini", prompt()) as call:
            call.record(output={"claims": [TEXT]}, input_tokens=120, output_tokens=30, cost_usd=0.0021)
        span.record(output=[TEXT], provider="openai-compatible")
    trace.finish(finished(asked, trace.id, answer=f"Write to {SECRETS[0]}."))


def by_name(spans: list[SeenSpan]) -> dict[str, SeenSpan]:
    return {span.name: span for span in spans}


def metadata(span: SeenSpan, key: str) -> Any:
    return json.loads(span.attributes[f"langfuse.observation.metadata.{key}"])


def test_a_turn_is_one_trace_with_its_stages_and_the_llm_call_inside_its_stage(
    langfuse: LangfuseServer, tracer: Recorder
) -> None:
    asked = question()

    with tracer.turn(asked) as trace:
        answer_with_llm(trace, asked)
    tracer.close()

    spans = by_name(langfuse.spans)
    assert sorted(spans) == ["answer", "classify", "generate", "retrieve", "turn"]
    assert len(langfuse.spans) == 5
    assert {span.trace_id for span in langfuse.spans} == {trace.id}
    assert spans["turn"].parent_id == ""
    assert {spans[name].parent_id for name in ("classify", "retrieve", "generate")} == {spans["turn"].id}
    assert spans["answer"].parent_id == spans["generate"].id


def test_the_sdk_itself_sends_it_under_its_own_name(langfuse: LangfuseServer, tracer: Recorder) -> None:
    with tracer.turn(question()):
        pass
    tracer.close()

    (headers,) = langfuse.headers
    assert headers["x-langfuse-sdk-name"] == "python"
    assert headers["x-langfuse-sdk-version"] == version("langfuse")
    assert headers["x-langfuse-public-key"] == PUBLIC_KEY
    assert headers["user-agent"].startswith("OTel-OTLP-Exporter-Python/")
    (root,) = langfuse.spans
    assert root.attributes["langfuse.internal.is_app_root"] is True
    assert isinstance(opentelemetry_trace.get_tracer_provider(), opentelemetry_trace.ProxyTracerProvider)


def test_a_text_that_is_json_itself_is_scrubbed_as_text(langfuse: LangfuseServer, tracer: Recorder) -> None:
    text = "call me\n02079460958"
    with tracer.turn(question("2025550123")) as turn, turn.stage("generate") as span:
        span.record(output={"text": text}, count=2, said="3")
    tracer.close()

    spans = by_name(langfuse.spans)
    assert spans["turn"].attributes["langfuse.observation.input"] == "[phone number removed]"
    output = json.loads(spans["generate"].attributes["langfuse.observation.output"])
    assert output == {"text": "call me\n[phone number removed]"}
    assert (metadata(spans["generate"], "count"), metadata(spans["generate"], "said")) == (2, "3")


def test_times_are_those_of_the_stages(langfuse: LangfuseServer, tracer: Recorder) -> None:
    asked = question()

    with tracer.turn(asked) as trace:
        answer_with_llm(trace, asked)
    tracer.close()

    spans = by_name(langfuse.spans)
    length = {name: (span.end_ns - span.start_ns) // MS for name, span in spans.items()}
    assert length == {"turn": 90, "classify": 10, "retrieve": 10, "generate": 30, "answer": 10}
    assert spans["generate"].start_ns < spans["answer"].start_ns < spans["answer"].end_ns < spans["generate"].end_ns


def test_every_span_carries_session_name_and_tags_and_the_trace_its_environment(
    langfuse: LangfuseServer, tracer: Recorder
) -> None:
    asked = question()

    with tracer.turn(asked) as trace:
        answer_with_llm(trace, asked)
    tracer.close()

    for span in langfuse.spans:
        assert span.attributes["session.id"] == CONVERSATION
        assert span.attributes["langfuse.trace.name"] == "turn"
        assert span.attributes["langfuse.trace.tags"] == ["answered", "answerable"]
        assert span.resource["langfuse.environment"] == "test"
    root = by_name(langfuse.spans)["turn"]
    assert metadata(root, "routing") == "answered"
    assert metadata(root, "label") == "answerable"
    assert metadata(root, "latency_ms") == {"total": 90.0}


def test_a_generation_has_model_usage_cost_and_the_prompt_version_it_used(
    langfuse: LangfuseServer, tracer: Recorder
) -> None:
    asked = question()

    with tracer.turn(asked) as trace:
        answer_with_llm(trace, asked)
    tracer.close()

    attributes = by_name(langfuse.spans)["answer"].attributes
    assert attributes["langfuse.observation.type"] == "generation"
    assert attributes["langfuse.observation.model.name"] == "gpt-5-mini"
    assert json.loads(attributes["langfuse.observation.usage_details"]) == {"input": 120, "output": 30}
    assert json.loads(attributes["langfuse.observation.cost_details"]) == {"total": 0.0021}
    assert attributes["langfuse.observation.prompt.name"] == "answer"
    assert attributes["langfuse.observation.prompt.version"] == 7
    messages = json.loads(attributes["langfuse.observation.input"])
    assert [message["role"] for message in messages] == ["system", "user"]


def test_a_prompt_from_a_local_file_is_named_but_not_linked(langfuse: LangfuseServer, tracer: Recorder) -> None:
    with tracer.turn(question()), generation("answer", "gpt-5-mini", prompt(origin="local", version="1")):
        pass
    tracer.close()

    span = by_name(langfuse.spans)["answer"]
    assert "langfuse.observation.prompt.name" not in span.attributes
    assert metadata(span, "prompt") == "answer local 1 0123456789ab"


def test_nothing_a_visitor_should_not_have_pasted_leaves_in_clear(langfuse: LangfuseServer, tracer: Recorder) -> None:
    asked = question()

    with pytest.raises(ValueError, match="declined"), tracer.turn(asked) as trace:
        answer_with_llm(trace, asked)
        with trace.stage("critique") as span:
            span.record(output={TEXT: [TEXT]}, note=TEXT)
            raise ValueError(TEXT)
    tracer.close()

    sent = b"".join(langfuse.bodies).decode("utf-8", errors="replace")
    assert "was declined" in sent
    for secret in SECRETS:
        assert secret not in sent


def test_a_conversation_id_that_is_an_address_becomes_a_stable_digest(
    langfuse: LangfuseServer, tracer: Recorder
) -> None:
    for _ in range(2):
        with tracer.turn(question("hello", conversation_id=SECRETS[0])):
            pass
    tracer.close()

    sessions = {span.attributes["session.id"] for span in langfuse.spans}
    assert len(sessions) == 1
    assert SECRETS[0] not in sessions.pop()


def test_a_failing_stage_is_marked_and_its_error_reaches_the_turn(langfuse: LangfuseServer, tracer: Recorder) -> None:
    with tracer.turn(question()) as trace, pytest.raises(TimeoutError), trace.stage("generate"):
        raise TimeoutError("llm too slow")
    tracer.close()

    attributes = by_name(langfuse.spans)["generate"].attributes
    assert attributes["langfuse.observation.level"] == "ERROR"
    assert attributes["langfuse.observation.status_message"] == "TimeoutError: llm too slow"


def test_a_cancelled_turn_is_still_a_trace(langfuse: LangfuseServer, tracer: Recorder) -> None:
    async def wait_in_a_turn() -> None:
        with tracer.turn(question()) as trace, trace.stage("generate"):
            await asyncio.sleep(30)

    async def cancel_it() -> None:
        running = asyncio.create_task(wait_in_a_turn())
        await asyncio.sleep(0.01)
        running.cancel()
        await asyncio.wait([running])

    asyncio.run(cancel_it())
    tracer.close()

    spans = by_name(langfuse.spans)
    assert sorted(spans) == ["generate", "turn"]
    assert spans["turn"].attributes["langfuse.trace.tags"] == ["interrupted"]


def test_turns_running_at_once_do_not_mix(langfuse: LangfuseServer, tracer: Recorder) -> None:
    async def one_turn(conversation: str) -> None:
        asked = question(conversation_id=conversation)
        with tracer.turn(asked) as trace:
            for stage in ("classify", "generate"):
                with trace.stage(stage):
                    await asyncio.sleep(0)
                    with generation(f"{conversation}-{stage}", "m", prompt()):
                        await asyncio.sleep(0)
            trace.finish(finished(asked, trace.id))

    async def three() -> None:
        await asyncio.gather(*(one_turn(name) for name in ("a", "b", "c")))

    asyncio.run(three())
    tracer.close()

    assert len(langfuse.spans) == 15
    stages = {span.id: span for span in langfuse.spans}
    for span in langfuse.spans:
        if "-" in span.name:
            conversation, stage = span.name.split("-")
            assert span.attributes["session.id"] == conversation
            assert stages[span.parent_id].name == stage
            assert stages[span.parent_id].trace_id == span.trace_id


def test_llm_calls_outside_any_turn_are_not_traced(langfuse: LangfuseServer, tracer: Recorder) -> None:
    with tracer.turn(question()):
        pass
    with generation("answer", "gpt-5-mini", prompt()) as call:
        call.record(output="nobody listens")
    tracer.close()

    assert [span.name for span in langfuse.spans] == ["turn"]
