"""Repeated turn ids, turns of one conversation, and the bound on turns at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from starlette.testclient import TestClient

from api.app import create_app
from handrail.turn import outcome
from tests.api.conftest import Serve
from tests.api.scripted import WORDING, ScriptedAssistant, settings_in

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def running(
    folder: Path, assistant: ScriptedAssistant, **sections: dict[str, Any]
) -> AsyncIterator[httpx.AsyncClient]:
    app = create_app(settings_in(folder, **sections), assistant)
    async with (
        asyncio.timeout(90),
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://handrail") as client,
    ):
        await _until(lambda: assistant.ready)
        yield client


async def _until(condition: Any) -> None:
    async with asyncio.timeout(30):
        while not condition():  # noqa: ASYNC110 - conditions here are plain reads, nothing announces them
            await asyncio.sleep(0.005)


def test_same_turn_id_returns_the_stored_result(client: TestClient, assistant: ScriptedAssistant) -> None:
    body = {"question": "How?", "turn_id": str(uuid4())}
    first = client.post("/ask", json=body)
    assistant.result = outcome.unavailable(WORDING)

    second = client.post("/ask", json=body)

    assert second.status_code == 200
    assert second.json() == first.json()
    assert len(assistant.asked) == 1


def test_repeated_turn_id_is_not_counted(serve: Serve) -> None:
    client = serve(limits={"enabled": True, "visitor_per_minute": 1}, server={"demo_mode": False})
    body = {"question": "How?", "turn_id": str(uuid4())}

    statuses = [client.post("/ask", json=body).status_code for _ in range(3)]

    assert statuses == [200, 200, 200]
    assert client.post("/ask", json={"question": "How?"}).status_code == 429


@pytest.mark.parametrize(
    "change",
    [{"question": "Why?"}, {"conversation_id": "c-2"}, {"filters": {"tags": "store"}}, {"project_key": "store"}],
)
def test_turn_id_of_another_question_or_conversation_is_a_conflict(client: TestClient, change: dict[str, Any]) -> None:
    body = {"question": "How?", "conversation_id": "c-1", "turn_id": str(uuid4())}
    client.post("/ask", json=body)

    response = client.post("/ask", json=body | change)

    assert response.status_code == 409
    assert response.json()["error"]["code"] == "turn_conflict"


def test_turn_that_failed_can_be_asked_again(client: TestClient, assistant: ScriptedAssistant) -> None:
    body = {"question": "How?", "turn_id": str(uuid4())}
    assistant.fails = RuntimeError("once")
    assert client.post("/ask", json=body).status_code == 500
    assistant.fails = None

    assert client.post("/ask", json=body).status_code == 200


def test_secrets_in_what_was_asked_are_not_kept(client: TestClient, tmp_path: Path) -> None:
    client.post("/ask", json={"question": "My card 4111 1111 1111 1111 was charged twice", "turn_id": str(uuid4())})

    kept = b"".join(path.read_bytes() for path in tmp_path.glob("handrail.sqlite*"))

    assert b"Open **Settings**" in kept
    assert b"1111" not in kept
    assert b"charged twice" in kept


async def test_simultaneous_duplicates_run_once(tmp_path: Path) -> None:
    assistant = ScriptedAssistant()
    assistant.hold = asyncio.Event()
    body = {"question": "How?", "turn_id": str(uuid4())}
    async with running(tmp_path, assistant) as client:
        posts = [asyncio.create_task(client.post("/ask", json=body)) for _ in range(5)]
        await _until(lambda: assistant.asked)
        await asyncio.sleep(0.05)
        assistant.hold.set()
        responses = await asyncio.gather(*posts)

    assert {response.status_code for response in responses} == {200}
    assert len({response.text for response in responses}) == 1
    assert len(assistant.asked) == 1


async def test_duplicates_run_once_across_processes_that_share_a_database(tmp_path: Path) -> None:
    here, there = ScriptedAssistant(), ScriptedAssistant()
    here.hold = asyncio.Event()
    body = {"question": "How?", "turn_id": str(uuid4())}
    async with running(tmp_path, here) as first, running(tmp_path, there) as second:
        original = asyncio.create_task(first.post("/ask", json=body))
        await _until(lambda: here.asked)
        duplicate = asyncio.create_task(second.post("/ask", json=body))
        await asyncio.sleep(0.05)
        here.hold.set()
        responses = await asyncio.gather(original, duplicate)

    assert responses[0].json() == responses[1].json()
    assert there.asked == []


async def test_second_question_of_a_conversation_waits_for_the_first(tmp_path: Path) -> None:
    assistant = ScriptedAssistant()
    assistant.hold = asyncio.Event()
    async with running(tmp_path, assistant) as client:
        first = asyncio.create_task(client.post("/ask", json={"question": "One?", "conversation_id": "c-1"}))
        await _until(lambda: assistant.asked)
        second = asyncio.create_task(client.post("/ask", json={"question": "Two?", "conversation_id": "c-1"}))
        await asyncio.sleep(0.1)
        asked_meanwhile = [question.text for question in assistant.asked]
        assistant.hold.set()
        responses = await asyncio.gather(first, second)

    assert asked_meanwhile == ["One?"]
    assert [response.status_code for response in responses] == [200, 200]


async def test_waiting_too_long_for_the_conversation_is_answered_busy(tmp_path: Path) -> None:
    assistant = ScriptedAssistant()
    assistant.hold = asyncio.Event()
    async with running(tmp_path, assistant, server={"conversation_queue_s": 0.1}) as client:
        first = asyncio.create_task(client.post("/ask", json={"question": "One?", "conversation_id": "c-1"}))
        await _until(lambda: assistant.asked)
        second = await client.post("/ask", json={"question": "Two?", "conversation_id": "c-1"})
        assistant.hold.set()
        await first

    assert second.status_code == 503
    assert second.json()["error"]["code"] == "busy"
    assert int(second.headers["Retry-After"]) == second.json()["error"]["retry_after_s"]


async def test_more_turns_than_can_be_worked_on_are_answered_busy_and_not_counted(tmp_path: Path) -> None:
    assistant = ScriptedAssistant()
    assistant.hold = asyncio.Event()
    limits = {"enabled": True, "visitor_per_minute": 3}
    async with running(
        tmp_path, assistant, server={"max_concurrent_turns": 2, "demo_mode": False}, limits=limits
    ) as client:
        working = [asyncio.create_task(client.post("/ask", json={"question": f"{n}?"})) for n in range(2)]
        await _until(lambda: len(assistant.asked) == 2)
        shed = [await client.post("/ask", json={"question": "Me too?"}) for _ in range(5)]
        assistant.hold.set()
        done = await asyncio.gather(*working)
        later = await client.post("/ask", json={"question": "And now?"})

    assert {(response.status_code, response.json()["error"]["code"]) for response in shed} == {(503, "busy")}
    assert [response.status_code for response in [*done, later]] == [200, 200, 200]


async def test_cancelled_request_gives_its_turn_back(tmp_path: Path) -> None:
    assistant = ScriptedAssistant()
    assistant.hold = asyncio.Event()
    body = {"question": "How?", "turn_id": str(uuid4()), "conversation_id": "c-1"}
    async with running(tmp_path, assistant) as client:
        cancelled = asyncio.create_task(client.post("/ask", json=body))
        await _until(lambda: assistant.asked)
        cancelled.cancel()
        await asyncio.gather(cancelled, return_exceptions=True)
        assistant.hold.set()
        again = await client.post("/ask", json=body)

    assert again.status_code == 200
    assert len(assistant.asked) == 2
