"""Streams over real sockets: connections that break, visitors who come back, leave, or press Stop."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from handrail.turn.watch import TurnWatch
from tests.api.live import Received, all_events, data_of, events, serving, text_of, until
from tests.api.scripted import ScriptedAssistant

pytestmark = pytest.mark.anyio


def asking(**fields: Any) -> dict[str, Any]:
    return {"question": "How do I connect a domain?", "turn_id": str(uuid4()), **fields}


class Paced:
    """Tells one claim for each time it is allowed to."""

    def __init__(self, claims: int) -> None:
        self.allowed = asyncio.Semaphore(0)
        self._claims = claims

    async def __call__(self, watch: TurnWatch) -> None:
        for number in range(1, self._claims + 1):
            await self.allowed.acquire()
            await watch.claim(f"c{number}", f"{'' if number == 1 else ' '}Claim {number} [1].", (1,))


async def read_until_text(client: httpx.AsyncClient, body: dict[str, Any]) -> list[Received]:
    """Events up to the end of the first claim; then the connection breaks."""
    seen: list[Received] = []
    async with client.stream("POST", "/chat/stream", json=body) as response:
        async for event in events(response):
            seen.append(event)
            if event.type == "text-end":
                return seen
    raise AssertionError("the stream ended early")


async def resumed(client: httpx.AsyncClient, turn_id: str, after: int) -> list[Received]:
    headers = {"Last-Event-ID": str(after)}
    async with client.stream("GET", f"/chat/stream/{turn_id}", headers=headers) as response:
        assert response.status_code == 200
        return [event async for event in events(response)]


async def test_a_lost_connection_goes_on_where_it_broke_off(tmp_path: Path, assistant: ScriptedAssistant) -> None:
    assistant.tells = paced = Paced(3)
    body = asking()

    async with serving(tmp_path, assistant) as client:
        paced.allowed.release()
        before = await read_until_text(client, body)
        following = asyncio.create_task(resumed(client, body["turn_id"], before[-1].number))
        for _ in range(2):
            paced.allowed.release()
        after = await following
        complete = await resumed(client, body["turn_id"], 0)

    assert [event.number for event in before + after] == list(range(1, len(before + after) + 1))
    assert text_of(before + after) == "Claim 1 [1]. Claim 2 [1]. Claim 3 [1]."
    assert complete == before + after
    assert len(assistant.asked) == 1


async def test_the_same_turn_sent_again_joins_the_one_that_runs(tmp_path: Path, assistant: ScriptedAssistant) -> None:
    assistant.tells = paced = Paced(2)
    body = asking(conversation_id="c-1")

    async with serving(tmp_path, assistant) as client:
        first = asyncio.create_task(all_events(client, body))
        await until(lambda: len(assistant.asked) == 1)
        second = asyncio.create_task(all_events(client, body))
        await asyncio.sleep(0.1)
        for _ in range(2):
            paced.allowed.release()
        here, there = await asyncio.gather(first, second)

    assert here == there
    assert len(assistant.asked) == 1


async def test_stop_cancels_the_work_and_the_turn_can_be_asked_again(
    tmp_path: Path, assistant: ScriptedAssistant
) -> None:
    assistant.hold = asyncio.Event()
    body = asking(conversation_id="c-1")

    async with serving(tmp_path, assistant) as client:
        following = asyncio.create_task(all_events(client, body))
        await until(lambda: len(assistant.asked) == 1)
        stopped = await client.post("/chat/stop", json={"turn_id": body["turn_id"]})
        received = await following
        again = await client.post("/chat/stop", json={"turn_id": body["turn_id"]})
        assistant.hold = None
        rerun = await all_events(client, body)

    assert stopped.json() == {"turn_id": body["turn_id"], "stopped": True}
    assert [event.type for event in received] == ["start", "abort", "[DONE]"]
    assert assistant.cancelled == 1
    assert again.json()["stopped"] is False
    assert data_of(rerun, "outcome")


async def token_of(client: httpx.AsyncClient) -> dict[str, str]:
    """The headers of a new visitor."""
    return {"Authorization": f"Bearer {(await client.post('/visitor', json={})).json()['token']}"}


async def test_a_turn_is_followed_and_stopped_by_the_visitor_who_asked_only(
    tmp_path: Path, assistant: ScriptedAssistant
) -> None:
    assistant.hold = asyncio.Event()
    body = asking(conversation_id="c-1")
    turn = {"turn_id": body["turn_id"]}
    path = f"/chat/stream/{body['turn_id']}"

    async with serving(tmp_path, assistant) as client:
        own, foreign = await token_of(client), await token_of(client)
        following = asyncio.create_task(client.post("/chat/stream", json=body, headers=own))
        await until(lambda: len(assistant.asked) == 1)
        refused = [
            await client.request(method, at, json=sent, headers=headers)
            for headers in ({}, foreign)
            for method, at, sent in (
                ("GET", path, None),
                ("POST", "/chat/stop", turn),
                ("POST", "/chat/stream", body),
                ("POST", "/chat/stream", {**turn, "question": body["question"]}),
                ("POST", "/ask", {**turn, "question": body["question"]}),
            )
        ]
        assert assistant.cancelled == 0
        stopped = await client.post("/chat/stop", json=turn, headers=own)
        await following
        assistant.hold = None
        await client.post("/ask", json=body, headers=own)
        stored = [(await client.get(path, headers=headers)).status_code for headers in ({}, foreign, own)]

    assert [response.status_code for response in refused] == [404] * 10
    assert stopped.json()["stopped"] is True
    assert stored == [404, 404, 200]


async def test_a_visitor_who_leaves_for_good_cancels_the_work(tmp_path: Path, assistant: ScriptedAssistant) -> None:
    assistant.tells, assistant.hold = Paced(1), asyncio.Event()
    assistant.tells.allowed.release()

    async with serving(tmp_path, assistant, stream={"grace_s": 2}) as client:
        await read_until_text(client, asking())
        assert assistant.cancelled == 0
        await until(lambda: assistant.cancelled == 1, seconds=20)


async def test_a_visitor_who_comes_back_in_time_finds_the_work_going_on(
    tmp_path: Path, assistant: ScriptedAssistant
) -> None:
    assistant.tells = paced = Paced(2)
    paced.allowed.release()
    body = asking()

    async with serving(tmp_path, assistant, stream={"grace_s": 3}) as client:
        before = await read_until_text(client, body)
        await asyncio.sleep(0.2)
        following = asyncio.create_task(resumed(client, body["turn_id"], before[-1].number))
        await asyncio.sleep(4)
        paced.allowed.release()
        after = await following

    assert assistant.cancelled == 0
    assert text_of(before + after) == "Claim 1 [1]. Claim 2 [1]."


async def test_a_new_question_does_not_wait_for_a_turn_that_nobody_follows(
    tmp_path: Path, assistant: ScriptedAssistant
) -> None:
    assistant.tells, assistant.hold = Paced(1), asyncio.Event()
    assistant.tells.allowed.release()

    async with serving(tmp_path, assistant, stream={"grace_s": 60}) as client:
        await read_until_text(client, asking(conversation_id="c-1"))
        assistant.tells, assistant.hold = None, None
        received = await all_events(client, asking(conversation_id="c-1", question="And mail?"))

    assert assistant.cancelled == 1
    assert data_of(received, "outcome")


async def test_an_outcome_that_is_known_cannot_be_stopped(tmp_path: Path, assistant: ScriptedAssistant) -> None:
    body = asking()

    async with serving(tmp_path, assistant) as client:
        received = await all_events(client, body)
        stopped = await client.post("/chat/stop", json={"turn_id": body["turn_id"]})

    assert received[-2].type == "finish"
    assert stopped.json()["stopped"] is False


async def test_events_no_longer_kept_are_told_from_the_record(tmp_path: Path, assistant: ScriptedAssistant) -> None:
    body = asking()

    async with serving(tmp_path, assistant, stream={"resume_s": 1}) as client:
        received = await all_events(client, body)
        await asyncio.sleep(1.2)
        after = await resumed(client, body["turn_id"], 4)
        complete = await resumed(client, body["turn_id"], 0)

    assert [event.type for event in after][-3:] == ["data-outcome", "finish", "[DONE]"]
    assert "text-delta" not in [event.type for event in after]
    assert after[0].number == 5
    assert data_of(after, "outcome") == data_of(received, "outcome")
    assert text_of(complete) == data_of(received, "outcome")[0]["answer"]
