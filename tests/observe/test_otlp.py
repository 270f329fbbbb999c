"""An OpenTelemetry collector gets the spans that Langfuse gets, as scrubbed."""

from __future__ import annotations

import logging
import socket
import threading
from urllib.parse import quote

import pytest

from handrail.assembly.observing import build_tracer
from handrail.errors import SettingsError
from handrail.llm.generations import generation
from handrail.observe import Tracer
from handrail.settings import load_settings
from tests.observe.langfuse_server import AUTHORIZATION, LangfuseServer, SeenSpan, langfuse_server
from tests.observe.turns import SECRETS, TEXT, finished, prompt, question

INTERNAL = "langfuse.internal.is_app_root"
"""The Langfuse SDK's own mark."""


@pytest.fixture(autouse=True)
def headers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The receiver asks for a key and decompresses: both come from the standard variables."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", f"Authorization={quote(AUTHORIZATION)}")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")


def tracer_to(endpoint: str, **others: str) -> Tracer:
    return build_tracer(load_settings(environ={"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint, **others}))


def run_turn(tracer: Tracer) -> str:
    """Its trace id; the turn's critique fails."""
    asked = question()
    with pytest.raises(ValueError, match="declined"), tracer.turn(asked) as trace:
        with trace.stage("retrieve") as span:
            span.record(output=["billing:cards/1"])
        with trace.stage("generate") as span, generation("answer", "gpt-5-mini", prompt()) as call:
            call.record(output={"claims": [TEXT]}, input_tokens=120, output_tokens=30, cost_usd=0.0021)
            span.record(output=[TEXT])
        trace.finish(finished(asked, trace.id, answer=f"Write to {SECRETS[0]}."))
        with trace.stage("critique"):
            raise ValueError(TEXT)
    tracer.close()
    return trace.id


def told(spans: list[SeenSpan]) -> dict[str, tuple[str, dict[str, object]]]:
    """By name, the parent's name and the attributes."""
    names = {span.id: span.name for span in spans}
    return {
        span.name: (
            names.get(span.parent_id, ""),
            {key: value for key, value in span.attributes.items() if key != INTERNAL},
        )
        for span in spans
    }


def test_a_collector_and_langfuse_get_the_same_spans_of_a_turn(langfuse: LangfuseServer) -> None:
    with langfuse_server() as collector:
        trace_id = run_turn(
            tracer_to(
                f"{collector.url}/api/public/otel/",
                LANGFUSE_PUBLIC_KEY="pk-lf-test",
                LANGFUSE_SECRET_KEY="sk-lf-test",
                LANGFUSE_HOST=langfuse.url,
            )
        )

    assert sorted(span.name for span in collector.spans) == ["answer", "critique", "generate", "retrieve", "turn"]
    assert {span.trace_id for span in collector.spans} == {trace_id}
    assert told(collector.spans) == told(langfuse.spans)
    assert {span.resource["service.name"] for span in collector.spans} == {"handrail"}
    assert all(INTERNAL not in span.attributes for span in collector.spans)


def test_nothing_a_visitor_should_not_have_pasted_leaves_in_clear(langfuse: LangfuseServer) -> None:
    run_turn(tracer_to(f"{langfuse.url}/api/public/otel"))

    sent = b"".join(langfuse.bodies).decode("utf-8", errors="replace")
    assert "was declined" in sent
    for secret in SECRETS:
        assert secret not in sent


def test_a_collector_that_refuses_is_said_once_with_what_to_check(
    langfuse: LangfuseServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "Authorization=wrong")

    run_turn(tracer_to(f"{langfuse.url}/api/public/otel"))

    [said] = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert "HTTP 401" in said and "OTEL_EXPORTER_OTLP_HEADERS" in said


def test_a_collector_that_is_away_costs_a_turn_nothing(caplog: pytest.LogCaptureFixture) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        tracer = tracer_to(f"http://127.0.0.1:{taken.getsockname()[1]}")

        run_turn(tracer)

    assert any("OpenTelemetry collector" in record.getMessage() for record in caplog.records)


def test_nothing_is_tried_again_once_tracing_was_closed() -> None:
    before = set(threading.enumerate())
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        run_turn(tracer_to(f"http://127.0.0.1:{taken.getsockname()[1]}"))

        left = set(threading.enumerate()) - before
        for thread in left:
            thread.join(timeout=2.5)  # it would try again after four
        assert not any(thread.is_alive() for thread in left)


def test_an_endpoint_that_is_no_address_stops_the_start() -> None:
    with pytest.raises(SettingsError, match="otlp_endpoint"):
        tracer_to("localhost:4317")
