"""`GET /metrics`, read by Prometheus' own parser."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

from api.app import create_app
from handrail.errors import RetryableError
from handrail.llm.health import Problem
from handrail.llm.kinds import Failure
from handrail.observe.metrics import Metrics
from handrail.observe.recorder import Recorder
from handrail.turn.watch import TurnWatch
from handrail.types import Question, Turn
from handrail.types.usage import Attempt, Usage
from tests.api.conftest import Serve
from tests.api.scripted import ScriptedAssistant, settings_in
from tests.api.test_operation import wait_until_ready
from tests.observe.turns import finished, new_id, question
from tests.stages import EVIDENCE, NOTHING, Retrieves, engine, stages

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
    assert ("handrail_degraded", "answer") not in well
    assert after["process_resident_memory_bytes", ""] > 1_000_000


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
    text = metrics.text(ready=True, degraded=(), waiting=None).decode()
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
