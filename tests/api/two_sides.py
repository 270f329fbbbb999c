"""A visitor and an agent before a running application, each following live events."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx

from handrail.accounts.passwords import hash_password
from handrail.records.database import open_database
from handrail.records.people import People
from handrail.settings import Storage
from tests.api.live import until

PASSWORD = "correct horse battery"


async def add_people(storage: Storage, *names: str, role: str = "agent") -> None:
    database = await open_database(storage)
    for name in names:
        await People(database, database.tenant).add(
            f"{name}@example.com", name.title(), role, await hash_password(PASSWORD), 1.0
        )
    await database.close()


async def folder_with_people(folder: Path, *names: str) -> Path:
    await add_people(Storage(data_dir=folder), *names)
    return folder


@dataclass
class Side:
    """One person's page: its headers, and the events it has received."""

    client: httpx.AsyncClient
    headers: dict[str, str]
    received: list[dict[str, Any]] = field(default_factory=list)

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [event for event in self.received if event["type"] == kind]

    async def post(self, path: str, **body: Any) -> httpx.Response:
        return await self.client.post(path, json=body, headers=self.headers)

    async def get(self, path: str) -> Any:
        return (await self.client.get(path, headers=self.headers)).json()

    @asynccontextmanager
    async def following(self, path: str, **headers: str) -> AsyncIterator[asyncio.Task[None]]:
        """Receives events of `path` meanwhile; the task ends when the server ends the stream."""
        open_ = asyncio.Event()
        task = asyncio.create_task(self._follow(path, {**self.headers, **headers}, open_))
        try:
            async with asyncio.timeout(60):
                await open_.wait()
            yield task
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _follow(self, path: str, headers: dict[str, str], open_: asyncio.Event) -> None:
        async with self.client.stream("GET", path, headers=headers, timeout=None) as response:
            assert response.status_code == 200, await response.aread()
            async for line in response.aiter_lines():
                if line.startswith("data: "):
                    self.received.append(json.loads(line.removeprefix("data: ")))
                    open_.set()


async def visitor_of(client: httpx.AsyncClient) -> Side:
    token = (await client.post("/visitor", json={})).json()["token"]
    return Side(client, {"Authorization": f"Bearer {token}"})


async def agent_of(client: httpx.AsyncClient, name: str = "ada") -> Side:
    answer = await client.post("/desk/api/sign-in", json={"email": f"{name}@example.com", "password": PASSWORD})
    assert answer.status_code == 200, answer.text
    cookie = f"handrail_desk={answer.cookies['handrail_desk']}"
    client.cookies.clear()
    return Side(client, {"Cookie": cookie, "X-CSRF-Token": answer.json()["csrf"]})


async def taken(visitor: Side, agent: Side, conversation_id: str = "c-1") -> dict[str, Any]:
    """A conversation that the agent has taken."""
    await visitor.post("/handoff", conversation_id=conversation_id)
    one: dict[str, Any] = (await agent.get(f"/desk/api/conversations/{conversation_id}"))["conversation"]
    answer = await agent.post(f"/desk/api/conversations/{conversation_id}/take", version=one["version"])
    assert answer.status_code == 200, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def says(visitor: Side, text: str, conversation_id: str = "c-1") -> httpx.Response:
    return await visitor.post("/ask", question=text, conversation_id=conversation_id, turn_id=str(uuid4()))


async def replies(agent: Side, text: str, conversation_id: str = "c-1") -> httpx.Response:
    return await agent.post(f"/desk/api/conversations/{conversation_id}/reply", id=str(uuid4()), text=text)


__all__ = ["until"]
