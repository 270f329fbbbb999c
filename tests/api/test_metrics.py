"""`GET /metrics`, read by Prometheus' own parser."""

from __future__ import annotations

import asyncio
import math
import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from fastapi.routing import iter_route_contexts
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

from api.app import create_app
from handrail.errors import RetryableError
from handrail.llm.health import Problem
from handrail.llm.kinds import Failure
from handrail.observe.metrics import OTHER, Metrics, Moment
from handrail.observe.recorder import Recorder
from handrail.turn.watch import TurnWatch
from handrail.types import Question, Turn
from handrail.types.usage import Attempt, Usage
from tests.api.conftest import Serve
from tests.api.live import serving, until
from tests.api.scripted import ScriptedAssistant, settings_in
from tests.api.test_operation import wait_until_ready
from tests.observe.turns import finished, new_id, question
from tests.stages import EVIDENCE, NOTHING, Retrieves, engine, stages

ALERTS = Path(__file__).parents[2] / "deploy" / "prometheus" / "alerts.yml"
KEY = "a-key-of-more-than-16"
SCRAPER = {"Authorization": f"Bearer {KEY}"}


class Asking(ScriptedAssistant):
    """Runs real turns over scripted stages: it finds nothing about trains."""

    async def ask(self, question: Question, watch: TurnWatch | None = None) -> Turn:
        recorder = Recorder(lambda: uuid4().hex, self.sinks, lambda: {"kb": "sample", "kb_version": "1"})
        if "crash" in question.text:
            with recorder.turn(question):
                raise RetryableError("gone")
        retriever = Retrieves(NOTHING if "trains" in question.text else EVIDENCE)
        return await engine(stages(retriever=retriever, tracer=recorder)).run(question, watch)


def samples(text: str) -> dict[tuple[str, str], float]:
    """By name and the values of the labels, which the format sorts by their names."""
    return {
        (sample.name, " ".join(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def scraped(client: TestClient) -> dict[tuple[str, str], float]:
    response = client.get("/metrics", headers=SCRAPER)
    assert response.status_code == 200
    assert response.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    return samples(response.text)


def test_turns_stages_hand_offs_and_what_is_degraded_are_counted(tmp_path: Path) -> None:
    assistant = Asking()
    settings = settings_in(tmp_path, observe={"metrics_key": KEY})
    with TestClient(create_app(settings, assistant), raise_server_exceptions=False) as client:
        wait_until_ready(client)
        before = scraped(client)
        first = client.post("/ask", json={"question": "How do I connect a domain?"}).json()
        for text in ("How do I pay?", "What about trains?", "Please crash"):
            client.post("/ask", json={"question": text})
        client.post("/handoff", json={"conversation_id": first["conversation_id"], "turn_id": first["turn_id"]})
        since = datetime(2026, 3, 2, tzinfo=UTC)
        assistant.failing = [Problem("main", "m-1", "answer", Failure.NOT_JSON, since, since)]
        after = scraped(client)
        assistant.failing = []
        well = scraped(client)

    assert (before["handrail_ready", ""], before["handrail_handoffs_waiting", ""]) == (1, 0)
    turns = {routing: n for (name, routing), n in after.items() if name == "handrail_turns_total"}
    assert turns == {"answered": 2, "followup": 1, "interrupted": 1}
    assert after["handrail_turn_seconds_count", ""] == 3
    assert after["handrail_stage_seconds_count", "retrieve"] == 3
    assert after["handrail_stage_seconds_count", "generate"] == 2
    assert after["handrail_stage_seconds_bucket", "+Inf retrieve"] == 3
    assert after["handrail_handoffs_waiting", ""] == 1
    assert after["handrail_degraded", "answer"] == 1
    assert after["handrail_degraded_since_seconds", "answer"] == since.timestamp()
    assert ("handrail_degraded", "answer") not in well
    assert after["process_resident_memory_bytes", ""] > 1_000_000


def test_requests_are_counted_by_route_and_refusals_by_status(tmp_path: Path) -> None:
    settings = settings_in(tmp_path, observe={"metrics_key": KEY}, limits={"enabled": True, "visitor_per_minute": 2})
    with TestClient(create_app(settings, Asking()), raise_server_exceptions=False) as client:
        wait_until_ready(client)
        for text in ("How?", "Please crash", "How?", ""):
            client.post("/ask", json={"question": text})
        client.get("/conversations/c-1")
        client.get("/desk/api/conversations")
        found = scraped(client)

    asked = {labels: n for (name, labels), n in found.items() if name == "handrail_http_requests_total"}
    assert {labels: n for labels, n in asked.items() if "/ask" in labels} == {
        "POST /ask 200": 1,
        "POST /ask 500": 1,
        "POST /ask 429": 1,
        "POST /ask 422": 1,
    }
    assert asked["GET /conversations/{conversation_id} 401"] == 1
    assert asked["GET /desk/api/conversations 401"] == 1
    assert found["handrail_http_request_seconds_count", "POST /ask"] == 4
    assert found["handrail_http_request_seconds_bucket", "+Inf POST /ask"] == 4


def test_nobody_outside_decides_how_many_series_there_are(tmp_path: Path) -> None:
    with TestClient(create_app(settings_in(tmp_path, observe={"metrics_key": KEY}), Asking())) as client:
        wait_until_ready(client)

        def send(name: str) -> None:
            for path in (f"/{name}", f"/desk/{name}", f"/conversations/{name}", f"/widget/v1/{name}", f"/t/{name}/ask"):
                client.request(name, path, headers={"X-Request-ID": name, "Origin": f"https://{name}.example"})
                client.get(path)
            client.post("/ask", json={"question": name, "conversation_id": name, "kb": name, name: name})

        send("GUESS0")
        scraped(client)
        before = scraped(client)
        for number in range(1, 20):
            send(f"GUESS{number}")
        after = scraped(client)

    assert after.keys() - before.keys() == set()
    assert after["handrail_http_requests_total", f"{OTHER} {OTHER} 404"] >= 20
    assert not [key for key in after if "GUESS" in str(key)]


@pytest.mark.anyio
async def test_what_runs_and_what_waits_is_told_while_it_does(tmp_path: Path) -> None:
    assistant = ScriptedAssistant()
    assistant.hold = asyncio.Event()
    async with serving(tmp_path, assistant, observe={"metrics_key": KEY}) as client:
        asking = [asyncio.create_task(client.post("/ask", json={"question": "How?"})) for _ in range(3)]
        await until(lambda: len(assistant.asked) == 3)
        async with client.stream("POST", "/chat/stream", json={"question": "How?"}):
            await until(lambda: len(assistant.asked) == 4)
            busy = samples((await client.get("/metrics", headers=SCRAPER)).text)
            assistant.hold.set()
        await asyncio.gather(*asking)
        quiet = samples((await client.get("/metrics", headers=SCRAPER)).text)

    assert (busy["handrail_in_progress", "turns"], busy["handrail_in_progress", "streams"]) == (4, 1)
    assert quiet["handrail_in_progress", "turns"] == 0
    assert {queue for name, queue in quiet if name == "handrail_queue_length"} == {"models", "records", "traces"}


def test_what_keeps_a_server_from_being_ready_is_named_with_since_when(tmp_path: Path) -> None:
    def missing() -> None:
        raise RetryableError("no models")

    before = datetime.now(UTC).timestamp()
    settings = settings_in(tmp_path, observe={"metrics_key": KEY})
    with TestClient(create_app(settings, ScriptedAssistant(starts=missing))) as client:
        scraped(client)
        found = scraped(client)

    assert found["handrail_ready", ""] == 0
    assert found["handrail_degraded", "models"] == 1
    assert before <= found["handrail_degraded_since_seconds", "models"] <= datetime.now(UTC).timestamp()


def test_messages_that_are_not_delivered_are_counted(tmp_path: Path) -> None:
    sections: dict[str, Any] = {
        "observe": {"metrics_key": KEY},
        "alerts": {"webhook_url": "http://127.0.0.1:9/hook", "webhook_secret": "a secret of the operator"},
    }
    with TestClient(create_app(settings_in(tmp_path, **sections), ScriptedAssistant())) as client:
        wait_until_ready(client)
        client.post("/handoff", json={"message": "Please help."})
        found = scraped(client)

    assert (found["handrail_outbox_messages", "waiting"], found["handrail_outbox_messages", "dead"]) == (1, 0)


def test_every_route_that_the_example_alerts_name_exists(tmp_path: Path) -> None:
    there = {route.path for route in iter_route_contexts(create_app(settings_in(tmp_path), Asking()).routes)}
    named = {path for one in re.findall(r'route=~?"([^"]+)"', ALERTS.read_text("utf-8")) for path in one.split("|")}

    assert named and named - there == set()


def test_language_models_are_counted_by_name_and_failures_by_kind() -> None:
    metrics = Metrics()
    asked = question()
    turn = replace(
        finished(asked, new_id()),
        usage_by_model={"large": Usage(120, 30, 0.25), "small": Usage(10, 1, 0.0)},
        attempts=(
            Attempt("answer", "main", "large", "failed", 90.0, Failure.TIMEOUT.value),
            Attempt("answer", "spare", "small", "ok", 9.0),
        ),
        cached=True,
    )
    for given in (turn, replace(turn, cached=False)):
        with Recorder(new_id, [metrics]).turn(asked) as trace:
            trace.finish(given)
    text = metrics.text(Moment(ready=True)).decode()
    found = samples(text)

    assert found["handrail_llm_tokens_total", "input large"] == 240
    assert found["handrail_llm_tokens_total", "output large"] == 60
    assert found["handrail_llm_cost_usd_total", "large"] == 0.5
    assert found["handrail_llm_calls_total", "failed main answer"] == 2
    assert found["handrail_llm_failures_total", f"{Failure.TIMEOUT.value} main"] == 2
    assert not [name for name in found if name[0] == "handrail_llm_failures_total" and "spare" in name[1]]
    assert found["handrail_answer_cache_hits_total", ""] == 1
    assert math.isnan(found["handrail_handoffs_waiting", ""])
    assert asked.text not in text and asked.conversation_id not in text


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": f"Basic {KEY}"}])
def test_nobody_without_the_key_reads_them(serve: Serve, headers: dict[str, str]) -> None:
    response = serve(observe={"metrics_key": KEY}).get("/metrics", headers=headers)

    assert (response.status_code, response.json()["error"]["code"]) == (401, "unauthorized")


def test_without_a_key_there_are_none(client: TestClient) -> None:
    assert client.get("/metrics", headers=SCRAPER).status_code == 404
