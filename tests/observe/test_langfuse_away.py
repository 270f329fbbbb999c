"""A Langfuse that is away, slow or refusing never shows in a turn."""

from __future__ import annotations

import logging
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import pytest
from pydantic import SecretStr

from handrail.llm.generations import generation
from handrail.observe import Tracer
from handrail.observe.langfuse import LangfuseSink
from handrail.observe.recorder import Recorder
from handrail.observe.sdk_log import LOGGERS
from handrail.observe.silent import SilentTracer
from handrail.observe.spans import CLOSE_TIMEOUT_S
from tests.observe.langfuse_server import LangfuseServer
from tests.observe.turns import finished, new_id, prompt, question

NO_WAIT_S = 100
"""Far less than any turn would wait for a server that hangs, and far more than turns take on a busy machine."""
UNTRACED = """
import socket, sys

def guard(event, args):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        raise AssertionError(f"network without keys: {event} {args}")

sys.addaudithook(guard)
import handrail.llm, handrail.turn.engine, handrail.llm.prompts
from handrail.llm.generations import generation
from handrail.observe.silent import SilentTracer
from handrail.settings import load_settings
from tests.observe.turns import finished, prompt, question

assert not load_settings(environ={}).observe.langfuse_configured
tracer = SilentTracer(lambda: "0" * 32)
asked = question()
with tracer.turn(asked) as trace, trace.stage("generate") as span:
    with generation("answer", "gpt-5-mini", prompt()) as call:
        call.record(output="text", input_tokens=1)
    span.record(output="text")
    trace.finish(finished(asked, trace.id))
tracer.close()
loaded = [name for name in sys.modules if name.split(".")[0] in ("langfuse", "opentelemetry")]
assert not loaded, loaded
"""


@pytest.fixture
def unused_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


@pytest.fixture
def patient_exporter(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that hangs is waited for, so that this is no failure of its own while turns take long."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "600")


@pytest.fixture
def impatient(langfuse: LangfuseServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Closing takes as long as it does for an operator."""
    monkeypatch.setattr("handrail.observe.spans.CLOSE_TIMEOUT_S", CLOSE_TIMEOUT_S)


def run_turns(tracer: Tracer, number: int) -> float:
    """Seconds that all of them took."""
    start = time.perf_counter()
    for _ in range(number):
        asked = question()
        with tracer.turn(asked) as trace:
            with trace.stage("generate") as span, generation("answer", "gpt-5-mini", prompt()) as call:
                call.record(output="text", input_tokens=10)
                span.record(output="text")
            trace.finish(finished(asked, trace.id))
    return time.perf_counter() - start


def warnings_of(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


def test_without_keys_nothing_is_imported_and_nothing_connects() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", UNTRACED], capture_output=True, text=True, timeout=60, check=False
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.usefixtures("impatient")
def test_a_langfuse_that_is_down_costs_a_turn_nothing_and_one_warning(
    langfuse: LangfuseServer, unused_port: int, caplog: pytest.LogCaptureFixture
) -> None:
    settings = langfuse.settings().model_copy(update={"langfuse_host": f"http://127.0.0.1:{unused_port}"})
    tracer = Recorder(new_id, [LangfuseSink(settings)])

    took = run_turns(tracer, 400)
    until(lambda: bool(warnings_of(caplog)))
    closing = time.perf_counter()
    tracer.close()

    assert took < NO_WAIT_S
    assert time.perf_counter() - closing < NO_WAIT_S
    (warning,) = warnings_of(caplog)
    assert f"http://127.0.0.1:{unused_port} " in warning
    assert "turns go on" in warning


@pytest.mark.usefixtures("impatient", "patient_exporter")
def test_a_langfuse_that_hangs_delays_neither_turns_nor_closing(
    langfuse: LangfuseServer, caplog: pytest.LogCaptureFixture
) -> None:
    langfuse.hang_s = 600
    tracer = Recorder(new_id, [LangfuseSink(langfuse.settings())])

    took = run_turns(tracer, 3)
    closing = time.perf_counter()
    tracer.close()

    assert took < NO_WAIT_S
    assert 2.5 < time.perf_counter() - closing < NO_WAIT_S
    assert "the last traces are lost" in warnings_of(caplog)[0]


def test_refused_keys_are_named_in_the_warning(langfuse: LangfuseServer, caplog: pytest.LogCaptureFixture) -> None:
    wrong = langfuse.settings().model_copy(update={"langfuse_secret_key": SecretStr("sk-wrong")})
    tracer = Recorder(new_id, [LangfuseSink(wrong)])

    run_turns(tracer, 1)
    tracer.close()

    (warning,) = warnings_of(caplog)
    assert "LANGFUSE_PUBLIC_KEY" in warning
    assert "sk-wrong" not in warning


def test_a_passing_failure_loses_no_trace(langfuse: LangfuseServer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "handrail")
    langfuse.status = 503
    tracer = Recorder(new_id, [LangfuseSink(langfuse.settings())])

    run_turns(tracer, 1)
    until(lambda: bool(warnings_of(caplog)))
    langfuse.status = 200
    until(lambda: bool(langfuse.spans))
    run_turns(tracer, 1)
    tracer.close()

    assert len({span.trace_id for span in langfuse.spans}) == 2
    assert "works again" in caplog.records[-1].getMessage()


def test_a_closed_tracer_still_lets_turns_run(langfuse: LangfuseServer, caplog: pytest.LogCaptureFixture) -> None:
    tracer = Recorder(new_id, [LangfuseSink(langfuse.settings())])
    tracer.close()

    run_turns(tracer, 1)
    tracer.close()

    assert langfuse.spans == []
    assert len(warnings_of(caplog)) == 1


@pytest.mark.usefixtures("patient_exporter")
def test_more_than_the_queue_holds_drops_traces_and_delays_no_turn(
    langfuse: LangfuseServer, caplog: pytest.LogCaptureFixture
) -> None:
    langfuse.hang_s = 600
    tracer = Recorder(new_id, [LangfuseSink(langfuse.settings())])

    took = run_turns(tracer, 900)

    assert took < NO_WAIT_S
    (warning,) = warnings_of(caplog)
    assert "Queue full" in warning
    langfuse.hang_s = 0
    langfuse.stopping.set()
    tracer.close()
    assert 600 < len({span.trace_id for span in langfuse.spans}) < 900


@pytest.mark.parametrize(("status", "tried_again"), [(503, True), (429, True), (500, False), (400, False)])
def test_only_passing_failures_are_tried_again_and_later_turns_are_sent(
    langfuse: LangfuseServer, caplog: pytest.LogCaptureFixture, status: int, tried_again: bool
) -> None:
    langfuse.status = status
    tracer = Recorder(new_id, [LangfuseSink(langfuse.settings())])

    run_turns(tracer, 1)
    until(lambda: bool(warnings_of(caplog)))
    langfuse.status = 200
    run_turns(tracer, 1)
    tracer.close()

    traces = {span.trace_id for span in langfuse.spans}
    assert len(traces) == (2 if tried_again else 1)
    # On a busy machine the failure is tried again before it has passed, and once more then.
    assert len(langfuse.headers) >= 3 if tried_again else len(langfuse.headers) == 2


def test_what_others_log_through_the_same_loggers_is_left_alone(
    langfuse: LangfuseServer, caplog: pytest.LogCaptureFixture
) -> None:
    tracer = Recorder(new_id, [LangfuseSink(langfuse.settings())])
    run_turns(tracer, 1)

    for name in LOGGERS:
        logging.getLogger(name).warning("from %s", name)
    tracer.close()

    assert warnings_of(caplog) == [f"from {name}" for name in LOGGERS]


def test_the_silent_tracer_gives_ids() -> None:
    ids: Iterator[str] = iter(["a" * 32])
    tracer = SilentTracer(lambda: next(ids))

    with tracer.turn(question()) as trace:
        assert trace.id == "a" * 32


def until(condition: Callable[[], bool], timeout_s: float = 30.0) -> None:
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "timed out"
        time.sleep(0.01)
