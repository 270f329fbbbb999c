"""`POST /chat/stream`: what is said of a turn, in which order, and what stands before the stream."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from starlette.testclient import TestClient

from handrail.turn import outcome
from handrail.turn.watch import TurnWatch
from handrail.types import Label
from tests.api.conftest import Serve
from tests.api.live import Received, all_events, data_of, events, serving, text_of, until
from tests.api.scripted import WORDING, ScriptedAssistant

pytestmark = pytest.mark.anyio

QUESTION = {"question": "How do I connect a domain?"}


async def two_claims(watch: TurnWatch) -> None:
    await watch.stage("retrieve")
    await watch.claim("c1", "Open **Settings** [1].", (1,))
    await watch.claim("c2", " Choose **Domains** [1].", (1,))


def types(received: list[Received]) -> list[str]:
    return [event.type for event in received]


async def test_a_turn_is_told_claim_by_claim_and_ends_with_what_ask_returns(
    tmp_path: Path, assistant: ScriptedAssistant
) -> None:
    assistant.tells = two_claims
    body = {**QUESTION, "turn_id": str(uuid4()), "conversation_id": "c-1"}

    async with serving(tmp_path, assistant) as client:
        received = await all_events(client, body)
        asked = (await client.post("/ask", json=body)).json()

    claim = ["text-start", "text-delta", "text-end"]
    closing = ["data-citations", "data-handoff", "data-outcome", "finish", "[DONE]"]
    assert types(received) == ["start", "data-stage", *claim, *claim, *closing]
    assert [event.number for event in received] == list(range(1, len(received) + 1))
    assert received[0].data == {"type": "start", "messageId": body["turn_id"]}
    assert text_of(received) == "Open **Settings** [1]. Choose **Domains** [1]."
    assert data_of(received, "outcome") == [asked]
    assert data_of(received, "citations") == [{"citations": asked["citations"]}]
    assert len(assistant.asked) == 1


async def test_a_reply_that_rests_on_no_claim_is_one_text(tmp_path: Path, assistant: ScriptedAssistant) -> None:
    assistant.result = outcome.static(Label.IRRELEVANT, WORDING)

    async with serving(tmp_path, assistant) as client:
        received = await all_events(client, QUESTION)

    assert text_of(received) == WORDING.say("irrelevant")
    assert data_of(received, "handoff") == [{"offer": "none", "reason": None}]


async def test_what_does_not_stand_up_is_taken_back_before_the_outcome(
    tmp_path: Path, assistant: ScriptedAssistant
) -> None:
    async def told(watch: TurnWatch) -> None:
        await two_claims(watch)
        await watch.replaced("c2", "unsupported", None)

    assistant.tells = told

    async with serving(tmp_path, assistant) as client:
        received = await all_events(client, QUESTION)

    taken_back = {"id": "c2", "support": "unsupported", "score": None, "replacement": ""}
    assert data_of(received, "verification") == [{"claims": [taken_back], "factuality": None}]


async def test_a_long_claim_comes_in_several_deltas(tmp_path: Path, assistant: ScriptedAssistant) -> None:
    text = "Wählen Sie „Domänen“ " * 40 + "x" * 500 + "\n\n- 最後\n"

    async def told(watch: TurnWatch) -> None:
        await watch.claim("c1", text, (1,))

    assistant.tells = told

    async with serving(tmp_path, assistant) as client:
        received = await all_events(client, QUESTION)

    assert types(received).count("text-delta") > 5
    assert text_of(received) == text


async def test_headers_name_the_format_and_forbid_buffering(client: TestClient) -> None:
    response = client.post("/chat/stream", json=QUESTION)

    assert response.headers["content-type"].startswith("text/event-stream")
    assert response.headers["x-vercel-ai-ui-message-stream"] == "v1"
    assert response.headers["x-accel-buffering"] == "no"
    assert "no-transform" in response.headers["cache-control"]
    assert "content-encoding" not in response.headers


async def test_a_quiet_stream_is_kept_open_by_comments(tmp_path: Path, assistant: ScriptedAssistant) -> None:
    assistant.hold = asyncio.Event()

    async with (
        serving(tmp_path, assistant, stream={"heartbeat_s": 0.1}) as client,
        client.stream("POST", "/chat/stream", json=QUESTION) as response,
    ):
        lines = response.aiter_lines()
        while ": keep-alive" not in await anext(lines):
            pass
        assistant.hold.set()
        assert [line async for line in lines][-2:] == ["data: [DONE]", ""]


async def test_a_failure_within_the_stream_is_said_and_the_turn_can_be_asked_again(
    tmp_path: Path, assistant: ScriptedAssistant
) -> None:
    body = {**QUESTION, "turn_id": str(uuid4())}
    assistant.fails = RuntimeError("a secret detail")

    async with serving(tmp_path, assistant) as client:
        failed = await all_events(client, body)
        assistant.fails = None
        again = await all_events(client, body)

    assert types(failed) == ["start", "error", "[DONE]"]
    assert "secret" not in json.dumps(failed[1].data)
    assert types(again)[-2:] == ["finish", "[DONE]"]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({}, 422, "validation"),
        ({"question": " "}, 422, "validation"),
        ({"question": "x" * 5000}, 422, "validation"),
        ({"question": "How?", "turn_id": "1"}, 422, "validation"),
    ],
)
def test_what_is_refused_is_refused_before_the_stream(
    client: TestClient, body: dict[str, Any], status: int, code: str
) -> None:
    response = client.post("/chat/stream", json=body)

    assert response.status_code == status
    assert response.json()["error"]["code"] == code


def test_limits_are_those_of_ask(serve: Serve) -> None:
    client = serve(limits={"enabled": True, "visitor_per_minute": 2}, server={"demo_mode": False})
    client.post("/ask", json=QUESTION)
    client.post("/chat/stream", json=QUESTION)

    refused = client.post("/chat/stream", json=QUESTION)

    assert refused.status_code == 429
    assert int(refused.headers["Retry-After"]) >= 1


def test_a_body_that_is_too_large_is_refused(serve: Serve) -> None:
    client = serve(server={"max_body_bytes": 10_000})

    assert client.post("/chat/stream", json={"question": "x" * 20_000}).status_code == 413


def test_a_turn_id_of_another_question_is_a_conflict(client: TestClient) -> None:
    turn_id = str(uuid4())
    client.post("/ask", json={**QUESTION, "turn_id": turn_id})

    refused = client.post("/chat/stream", json={"question": "And mail?", "turn_id": turn_id})

    assert refused.status_code == 409


async def test_more_streams_than_slots_are_told_to_come_back(tmp_path: Path, assistant: ScriptedAssistant) -> None:
    assistant.hold = asyncio.Event()

    async with serving(tmp_path, assistant, server={"max_concurrent_turns": 1}) as client:
        first = asyncio.create_task(all_events(client, QUESTION))
        await until(lambda: len(assistant.asked) == 1)
        refused = await client.post("/chat/stream", json=QUESTION)
        assistant.hold.set()
        await first
        taken = await all_events(client, QUESTION)

    assert refused.status_code == 503
    assert refused.json()["error"]["code"] == "busy"
    assert types(taken)[-1] == "[DONE]"


async def test_a_turn_finished_by_ask_is_told_from_its_record(tmp_path: Path, assistant: ScriptedAssistant) -> None:
    body = {**QUESTION, "turn_id": str(uuid4())}

    async with serving(tmp_path, assistant) as client:
        asked = (await client.post("/ask", json=body)).json()
        told = await all_events(client, body)
        async with client.stream("GET", f"/chat/stream/{body['turn_id']}") as response:
            resumed = [event async for event in events(response)]

    assert len(assistant.asked) == 1
    assert told == resumed
    assert text_of(told) == asked["answer"]
    assert data_of(told, "outcome") == [asked]


def test_an_unknown_turn_cannot_be_followed(client: TestClient) -> None:
    unknown = client.get(f"/chat/stream/{uuid4()}")

    assert unknown.status_code == 404
    assert "POST the question" in unknown.json()["error"]["message"]
    assert client.get("/chat/stream/not-a-uuid").status_code == 422
