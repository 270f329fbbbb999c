"""Health, readiness, and what surrounds every request."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from starlette.types import Message

from api.app import create_app
from api.condition import Condition
from api.routes import health
from handrail.errors import IndexBusy, ModelUnavailable, SettingsError
from handrail.llm.health import Problem
from handrail.llm.kinds import Failure
from tests.api.conftest import Serve
from tests.api.live import serving
from tests.api.scripted import ScriptedAssistant, settings_in


def wait_until_ready(client: TestClient) -> None:
    for _ in range(500):
        if client.get("/ready").status_code == 200:
            return
        time.sleep(0.01)
    raise AssertionError(client.get("/ready").text)


def test_ready_names_every_part(client: TestClient) -> None:
    response = client.get("/ready")

    assert response.status_code == 200
    assert response.json() == {
        "ready": True,
        "status": "ok",
        "paused": False,
        "degraded": [],
        "checks": {"models": "ok", "index": "ok", "records": "ok", "limits": "ok", "disk": "ok"},
    }


def test_a_language_model_that_fails_degrades_and_drains_nothing(tmp_path: Path) -> None:
    assistant = ScriptedAssistant()
    since = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)

    with TestClient(create_app(settings_in(tmp_path), assistant)) as client:
        wait_until_ready(client)
        assistant.failing = [Problem("main", "m-1", "answer", Failure.NOT_JSON, since, since)]
        degraded = client.get("/ready")
        assistant.failing = []
        well = client.get("/ready")

    assert degraded.status_code == 200
    assert (degraded.json()["ready"], degraded.json()["status"]) == (True, "degraded")
    [problem] = degraded.json()["degraded"]
    assert (problem["part"], problem["since"]) == ("answer", "2026-03-02T09:00:00Z")
    assert "main (m-1)" in problem["reason"] and "JSON" in problem["reason"]
    assert (well.json()["status"], well.json()["degraded"]) == ("ok", [])


def test_a_failing_check_is_dated_when_it_was_first_seen_and_forgotten_when_it_passes() -> None:
    now = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
    condition = Condition(lambda: now)

    first = condition.degraded({"records": "away", "limits": "ok"}, ())
    now += timedelta(minutes=5)
    later = condition.degraded({"records": "still away", "limits": "away"}, ())
    condition.degraded({"records": "ok", "limits": "ok"}, ())
    again = condition.degraded({"records": "away", "limits": "ok"}, ())

    assert [(one.part, one.since.minute) for one in first] == [("records", 0)]
    assert [(one.part, one.reason, one.since.minute) for one in later] == [
        ("records", "still away", 0),
        ("limits", "away", 5),
    ]
    assert [one.since.minute for one in again] == [5]


def test_alive_but_not_ready_while_models_are_missing(tmp_path: Path) -> None:
    def missing() -> None:
        raise ModelUnavailable("run handrail models fetch")

    with TestClient(create_app(settings_in(tmp_path), ScriptedAssistant(starts=missing))) as client:
        health, ready, asked = (
            client.get("/health"),
            client.get("/ready"),
            client.post("/ask", json={"question": "?!a"}),
        )
        person = client.post("/handoff", json={})

    assert health.status_code == 200
    assert ready.status_code == 503
    assert ready.headers["Retry-After"]
    assert ready.json()["checks"]["startup"] == "ModelUnavailable; the log says what to do"
    assert (asked.status_code, asked.json()["error"]["code"]) == (503, "not_ready")
    assert person.status_code == 201


def test_unexpected_failure_to_start_is_named_without_its_text(tmp_path: Path) -> None:
    def broken() -> None:
        raise ValueError("password=hunter2")

    with TestClient(create_app(settings_in(tmp_path), ScriptedAssistant(starts=broken))) as client:
        ready = client.get("/ready")

    assert ready.status_code == 503
    assert ready.json()["checks"]["startup"] == "ValueError; the log says more"


def test_start_is_tried_again_after_a_failure_that_may_pass(tmp_path: Path) -> None:
    tries: list[int] = []

    def busy_at_first() -> None:
        tries.append(1)
        if len(tries) == 1:
            raise IndexBusy("another process holds the index")

    with TestClient(create_app(settings_in(tmp_path), ScriptedAssistant(starts=busy_at_first))) as client:
        wait_until_ready(client)

    assert len(tries) == 2


def test_assistant_is_stopped_with_the_application(tmp_path: Path) -> None:
    assistant = ScriptedAssistant()
    with TestClient(create_app(settings_in(tmp_path), assistant)):
        pass

    assert assistant.stopped


def test_request_id_of_the_caller_is_kept_when_it_is_sane(client: TestClient) -> None:
    sane = client.get("/health", headers={"X-Request-ID": "load-balancer-42"})
    insane = client.get("/health", headers={"X-Request-ID": "<script>" * 50})

    assert sane.headers["X-Request-ID"] == "load-balancer-42"
    assert len(insane.headers["X-Request-ID"]) == 32


def test_unknown_addresses_and_methods_are_typed(client: TestClient) -> None:
    missing, method = client.get("/nothing"), client.get("/ask")

    assert (missing.status_code, missing.json()["error"]["code"]) == (404, "not_found")
    assert (method.status_code, method.json()["error"]["code"]) == (405, "method_not_allowed")
    assert method.headers["Allow"] == "POST"
    assert missing.json()["request_id"] == missing.headers["X-Request-ID"]


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin-1"]
)
def test_bodies_that_are_not_json_are_refused(client: TestClient, content_type: str) -> None:
    response = client.post("/ask", content=b'{"question": "How?"}', headers={"Content-Type": content_type})

    assert (response.status_code, response.json()["error"]["code"]) == (415, "unsupported_media_type")


def test_large_body_is_refused_by_its_announced_length(serve: Serve) -> None:
    client = serve(server={"max_body_bytes": 10_000})

    response = client.post("/handoff", json={"message": "x" * 20_000})

    assert (response.status_code, response.json()["error"]["code"]) == (413, "too_large")


def test_large_body_in_chunks_is_refused_while_it_arrives(serve: Serve) -> None:
    client = serve(server={"max_body_bytes": 10_000})

    def chunks() -> Iterator[bytes]:
        yield b'{"question": "'
        for _ in range(10):
            yield b"x" * 2000

    response = client.post("/ask", content=chunks(), headers={"Content-Type": "application/json"})

    assert (response.status_code, response.json()["error"]["code"]) == (413, "too_large")


@pytest.mark.anyio
@pytest.mark.parametrize("chunked", [False, True])
async def test_a_body_that_never_ends_is_given_up_and_a_long_answer_is_not(tmp_path: Path, chunked: bool) -> None:
    assistant = ScriptedAssistant()
    assistant.takes_s = 1.5
    async with serving(tmp_path, assistant, server={"body_timeout_s": 0.5}) as client:
        reader, writer = await asyncio.open_connection(client.base_url.host, client.base_url.port)
        length = b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n" if chunked else b"Content-Length: 90\r\n\r\n{"
        writer.write(b"POST /ask HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" + length)
        async with asyncio.timeout(60):
            told = await reader.read()  # to the end: the connection is closed
        writer.close()
        answered = await client.post("/ask", json={"question": "How?"})

    assert told.startswith(b"HTTP/1.1 408 ")
    assert b'"too_slow"' in told
    assert answered.status_code == 200


def test_every_response_carries_protective_headers(client: TestClient) -> None:
    for response in (client.get("/health"), client.get("/nothing"), client.post("/ask", json={})):
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        assert "default-src 'none'" in response.headers["Content-Security-Policy"]
        assert response.headers["Cache-Control"] == "no-store"


def test_other_origins_are_let_in_by_setting_only(serve: Serve) -> None:
    shop = {"Origin": "https://shop.example"}
    closed, opened = serve(), serve(server={"cors_origins": ["https://shop.example"]})

    assert "Access-Control-Allow-Origin" not in closed.get("/config", headers=shop).headers
    response = opened.get("/config", headers=shop)
    assert response.headers["Access-Control-Allow-Origin"] == "https://shop.example"
    assert "Retry-After" in response.headers["Access-Control-Expose-Headers"]
    other = opened.get("/config", headers={"Origin": "https://evil.example"})
    assert "Access-Control-Allow-Origin" not in other.headers


def test_failures_can_be_read_across_origins(serve: Serve, assistant: ScriptedAssistant) -> None:
    client = serve(server={"cors_origins": ["https://shop.example"]})
    assistant.fails = RuntimeError("inside")

    response = client.post("/ask", json={"question": "How?"}, headers={"Origin": "https://shop.example"})

    assert response.status_code == 500
    assert response.headers["Access-Control-Allow-Origin"] == "https://shop.example"
    assert response.json()["request_id"] == response.headers["X-Request-ID"]


def test_log_names_requests_but_never_what_was_asked(client: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)

    client.post("/ask?note=private", json={"question": "My secret illness"})

    assert "POST /ask 200" in caplog.text
    assert "illness" not in caplog.text
    assert "private" not in "".join(
        record.getMessage() for record in caplog.records if record.name == "handrail.access"
    )


def test_a_disk_that_is_nearly_full_is_told_before_anything_is_lost(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "LEAST_FREE", 1 << 80)  # no disk has so much

    found = client.get("/ready")

    assert found.status_code == 200
    assert found.json()["status"] == "degraded"
    assert "storage.data_dir" in found.json()["checks"]["disk"]


@pytest.mark.anyio
async def test_a_start_that_fails_for_a_setting_is_told_in_one_line(tmp_path: Path) -> None:
    app = create_app(settings_in(tmp_path, limits={"redis_url": "http://:a-password@127.0.0.1"}), ScriptedAssistant())
    told: list[Message] = []

    async def receive() -> Message:
        return {"type": "lifespan.startup"}

    async def send(message: Message) -> None:
        told.append(message)

    with pytest.raises(SettingsError):
        await app({"type": "lifespan", "state": {}, "app": app}, receive, send)

    (failed,) = told
    assert failed["type"] == "lifespan.startup.failed"
    assert failed["message"].startswith("cannot start: limits.redis_url ")
    assert "\n" not in failed["message"] and "a-password" not in failed["message"]
