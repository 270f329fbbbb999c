"""The API process is killed in the middle of a conversation: what it had accepted is there afterwards."""

from __future__ import annotations

import asyncio
from pathlib import Path
from uuid import uuid4

import httpx
import pytest

from tests.api.live import until
from tests.api.process import process
from tests.api.two_sides import Side, agent_of, folder_with_people, taken, visitor_of

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

MESSAGES, KILLED_AFTER = 60, 25


async def test_nothing_accepted_is_lost_and_what_is_sent_again_is_not_doubled(tmp_path: Path) -> None:
    await folder_with_people(tmp_path, "ada")
    accepted: list[str] = []
    sending = [(str(uuid4()), n) for n in range(MESSAGES)]

    async def send(side: Side, id_: str, n: int) -> None:
        if n % 2:
            answer = await side.post("/desk/api/conversations/c-1/reply", id=id_, text=f"m {n}")
        else:
            answer = await side.post("/ask", question=f"m {n}", conversation_id="c-1", turn_id=id_)
        answer.raise_for_status()
        accepted.append(id_)

    with process(tmp_path) as (url, running):
        async with httpx.AsyncClient(base_url=url, timeout=60) as client:
            visitor, agent = await visitor_of(client), await agent_of(client)
            await taken(visitor, agent)
            work = [asyncio.create_task(send((visitor, agent)[n % 2], id_, n)) for id_, n in sending]
            await until(lambda: len(accepted) >= KILLED_AFTER)
            running.kill()
            await asyncio.gather(*work, return_exceptions=True)
    before = list(accepted)

    with process(tmp_path) as (url, _):
        async with httpx.AsyncClient(base_url=url, timeout=60) as client:
            visitor, agent = Side(client, visitor.headers), Side(client, agent.headers)
            kept = [one["id"] for one in (await visitor.get("/conversations/c-1"))["messages"]]
            for id_, n in sending:
                await send((visitor, agent)[n % 2], id_, n)
            after = (await visitor.get("/conversations/c-1"))["messages"]

    assert KILLED_AFTER <= len(before) < MESSAGES
    assert set(before) <= set(kept)
    assert [one["seq"] for one in after] == list(range(1, len(after) + 1))
    said = [one["id"] for one in after if one["kind"] == "message"]
    assert sorted(said) == sorted(id_ for id_, _ in sending)
