"""A turn as it is stored: whole, redacted, written in the background; asked again and compared."""

from __future__ import annotations

import asyncio
import json
import logging
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from handrail.errors import RetryableError
from handrail.llm.generations import generation, step
from handrail.observe.compare import compare
from handrail.observe.record import TurnRecord
from handrail.observe.recorder import Recorder
from handrail.observe.replay import Kept, question_of
from handrail.observe.trace import Trace, document
from handrail.observe.trace_queue import TraceQueue
from handrail.types import Exchange, Question, Routing
from tests.observe.turns import SECRETS, TEXT, finished, new_id, prompt, question

MS = 1_000_000
ABOUT = {"kb": "acme", "kb_version": "g-1", "settings": "0123456789ab"}
SECTIONS = [{"id": "cards#1", "probability": 0.91}, {"id": "cards#2", "probability": 0.2}]


class Broken(Kept):
    def take(self, record: TurnRecord) -> None:
        raise OSError("full")


def recorded(asked: Question | None = None, sections: list[dict[str, Any]] = SECTIONS) -> Trace:
    kept, ticks = Kept(), count(1_700_000_000_000 * MS, 10 * MS)
    asked = asked or question()
    with Recorder(new_id, [kept], lambda: ABOUT, lambda: next(ticks)).turn(asked) as trace:
        with trace.stage("understand") as span:
            span.record(input=asked.text, output=[asked.text], act="request", requests=[])
        with trace.stage("retrieve") as span:
            found: dict[str, Any] = {"text": TEXT, "understood_as": TEXT, "label": "answerable", "band": "answered"}
            found |= {"probability": sections[0]["probability"], "sections": sections, "passages": []}
            span.record(requests=[found])
            with step("decision") as asks:
                asks.record(output=[{"decision": "route", "version": 2, "probabilities": {"answerable": 0.8}}])
        with trace.stage("generate") as span:
            with generation("answer", "gpt-5-mini", prompt()) as call:
                call.record(output={"claims": [TEXT]}, input_tokens=120, output_tokens=30, cached_tokens=64)
            span.record(output=[TEXT], ratio=float("nan"), odd="a\x00b\ud800")
        trace.finish(finished(asked, trace.id, answer=f"Write to {SECRETS[0]}."))
    assert kept.record is not None
    return document(kept.record)


def test_stages_stand_in_order_with_times_inputs_outputs_and_what_was_asked_within() -> None:
    trace = recorded()

    assert {name: trace[name] for name in ABOUT} == ABOUT
    assert [(one["name"], one["ms"]) for one in trace["stages"]] == [
        ("understand", 10.0), ("retrieve", 30.0), ("generate", 30.0),
    ]  # fmt: skip
    _, retrieve, generate = trace["stages"]
    assert retrieve["values"]["requests"][0]["sections"] == SECTIONS
    assert retrieve["stages"][0]["output"][0]["probabilities"] == {"answerable": 0.8}
    (call,) = generate["stages"]
    assert call["prompt"] == {"name": "answer", "origin": "langfuse", "version": "7", "digest": "0123456789ab"}
    assert call["tokens"] == {"input": 120, "output": 30, "cached": 64}
    assert [message["role"] for message in call["input"]] == ["system", "user"]
    assert trace["answered_by"]["tokens"]["cached"] == 64
    assert (trace["outcome"]["routing"], trace["outcome"]["label_probability"]) == ("answered", 0.97)


def test_it_is_redacted_and_as_every_database_stores_it() -> None:
    text = json.dumps(recorded(), allow_nan=False, ensure_ascii=False)

    assert "was declined" in text
    assert not [secret for secret in SECRETS if secret in text]
    assert "\\u0000" not in text
    text.encode()


def test_a_turn_that_was_interrupted_says_so() -> None:
    kept = Kept()
    with pytest.raises(TimeoutError), Recorder(new_id, [kept]).turn(question()) as trace, trace.stage("generate"):
        raise TimeoutError("too slow")
    assert kept.record is not None

    stored = document(kept.record)

    assert stored["outcome"] == {"routing": "interrupted", "error": "TimeoutError: too slow"}
    assert stored["stages"][0]["error"] == "TimeoutError: too slow"


def test_a_question_comes_back_with_its_history() -> None:
    past = Exchange("And Norway?", "Do you ship to Norway?", "Yes.", Routing.ANSWERED, ("ship",), ("Shipping",), "t-0")
    asked = replace(question("And how long?"), history=(past,), filters={"plan": "pro"}, follows="t-0")

    again = question_of(json.loads(json.dumps(recorded(asked))))

    assert again == asked


def test_a_message_is_asked_again_as_the_conversation_keeps_it() -> None:
    assert question_of(recorded(), TEXT).text == TEXT


def test_what_was_removed_from_a_question_is_marked() -> None:
    marks = [recorded(question(text))["input"] for text in (TEXT, f"I am {SECRETS[0]}", "How long?")]

    assert [(one["redacted"], one["secrets_removed"]) for one in marks] == [(True, True), (True, False), (False, False)]


def test_two_equal_turns_differ_in_nothing() -> None:
    assert compare(recorded(), recorded()) == {"same": True, "differences": [], "setup": []}


def test_what_differs_is_told_by_stage_and_of_scores_only_those_that_changed() -> None:
    other = [{"id": "cards#1", "probability": 0.6}, {"id": "cards#2", "probability": 0.204}, {"id": "x#1", **HALF}]
    now = recorded(sections=other) | {"settings": "ffff"}
    now["outcome"] = now["outcome"] | {"routing": "low_confidence"}

    told = compare(recorded(), now)

    assert not told["same"]
    assert told["setup"] == [{"what": "settings", "before": "0123456789ab", "after": "ffff"}]
    assert [(one["stage"], one["what"]) for one in told["differences"]] == [
        ("retrieve", "bands"), ("retrieve", "sections"), ("outcome", "routing"),
    ]  # fmt: skip
    assert told["differences"][1]["before"] == {"cards#1": 0.91}
    assert told["differences"][1]["after"] == {"cards#1": 0.6, "x#1": 0.5}


HALF = {"probability": 0.5}


def test_one_recording_reaches_every_sink_though_another_fails(caplog: pytest.LogCaptureFixture) -> None:
    kept = Kept()
    recorder = Recorder(new_id, [Broken(), kept])

    for _ in range(3):
        with recorder.turn(question()) as trace:
            trace.finish(finished(question(), trace.id))

    assert kept.record is not None
    assert len([one for one in caplog.records if one.levelno == logging.WARNING]) == 1


@pytest.mark.anyio
async def test_traces_are_written_in_the_background_in_order() -> None:
    written: list[str] = []

    async def save(trace: Trace) -> None:
        written.append(trace["trace_id"])

    queue = TraceQueue(save)
    ids = []
    for _ in range(3):
        with Recorder(new_id, [queue]).turn(question()) as trace:
            ids.append(trace.id)
    assert written == []
    await queue.finish()

    assert written == ids


@pytest.mark.anyio
async def test_a_store_that_is_away_is_said_once_and_every_loss_counted(caplog: pytest.LogCaptureFixture) -> None:
    away = True

    async def save(trace: Trace) -> None:
        if away:
            raise RetryableError(f"cannot store {TEXT}")

    queue = TraceQueue(save)
    recorder = Recorder(new_id, [queue])
    for _ in range(4):
        with recorder.turn(question()):
            pass
    await queue.finish()

    assert queue.lost == 4
    first, last = (one.getMessage() for one in caplog.records)
    assert "RetryableError" in first
    assert "4 traces were not stored" in last
    assert SECRETS[0] not in caplog.text


@pytest.mark.anyio
async def test_no_more_than_the_queue_holds_waits_for_a_store_that_hangs() -> None:
    hanging, written = asyncio.Event(), 0

    async def save(trace: Trace) -> None:
        nonlocal written
        await hanging.wait()
        written += 1

    queue = TraceQueue(save, most=5)
    recorder = Recorder(new_id, [queue])
    for _ in range(20):
        with recorder.turn(question()):
            pass
        await asyncio.sleep(0)
    hanging.set()
    await queue.finish()

    assert written + queue.lost == 20
    assert written <= 6
