"""How fast the desk is: `python -m tests.load.desk [--tickets 1000] [--open 200] [--rounds 60]`.

Prints, as JSON: the desk's list with so many tickets in the queue, and the way of a message from visitor to agent and
back with so many open conversations, each followed by its visitor, all in milliseconds.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import statistics
import sys
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx

from handrail.records.conversations import ConversationRecords, Entry, NewMessage, Request
from handrail.records.database import open_database
from handrail.settings import Storage
from tests.api.live import until
from tests.api.process import process
from tests.api.two_sides import Side, agent_of, folder_with_people, replies, taken, visitor_of

LOOKS: tuple[dict[str, str], ...] = (
    {},
    {"state": "queued"},
    {"state": "queued", "label": "high_stakes"},
    {"sort": "updated"},
    {"q": "refund 77"},
)


async def fill(folder: Path, tickets: int) -> None:
    """Tickets of ten messages each, as they wait in the queue; not so old that retention would clear them away."""
    began = time.time() - 4 * tickets
    database = await open_database(Storage(data_dir=folder))
    records = ConversationRecords(database, "default")
    for n in range(tickets):
        entry, label, now = Entry(f"t-{n}", f"v-{n}"), ("high_stakes", "cannot_answer")[n % 2], began + 4 * n
        for place in range(0, 10, 2):
            asked, answer = (f"Where is refund {n}? Part {place + one}" for one in (0, 1))
            await records.begin(entry, NewMessage(f"m-{n}-{place}", "visitor", asked), now)
            said = NewMessage(f"m-{n}-{place + 1}", "assistant", answer)
            await records.deliver(entry.conversation_id, 0, said, now, label="answerable", lang="en")
        await records.hand_over(entry, Request(f"HR-{n:06d}", reason=label), _notice, now)
    await database.close()


def _notice(_generation: int) -> NewMessage:
    return NewMessage("queued", "system", "Asked for a person", kind="event")


async def lists(agent: Side, tickets: int, rounds: int) -> list[float]:
    """Milliseconds of the list, first page and later ones, filtered, searched."""
    spent = []
    for n in range(rounds):
        query: dict[str, str | int] = {**LOOKS[n % len(LOOKS)], "limit": 100, "cursor": 100 * (n % 3)}
        since = time.perf_counter()
        answer = await agent.client.get("/desk/api/conversations", params=query, headers=agent.headers)
        spent.append(1000 * (time.perf_counter() - since))
        answer.raise_for_status()
        assert answer.json()["counts"]["queued"] == tickets
    return spent


async def round_trips(client: httpx.AsyncClient, agent: Side, count: int, rounds: int) -> list[float]:
    """Milliseconds from a visitor's message over its arrival at the desk to the arrival of the agent's reply."""
    async with AsyncExitStack() as running:
        await running.enter_async_context(agent.following("/desk/api/events"))
        visitors = []
        for n in range(count):
            visitor = await visitor_of(client)
            await taken(visitor, agent, f"o-{n}")
            await running.enter_async_context(visitor.following(f"/conversations/o-{n}/events"))
            visitors.append(visitor)
        spent = []
        for n in range(rounds):
            place = n % count
            spent.append(await _round_trip(visitors[place], agent, f"o-{place}"))
        return spent


async def _round_trip(visitor: Side, agent: Side, conversation_id: str) -> float:
    id_, seen = str(uuid4()), len(visitor.received)
    since = time.perf_counter()
    sending = asyncio.create_task(
        visitor.post("/ask", question="Any news?", conversation_id=conversation_id, turn_id=id_)
    )
    await until(lambda: any(event["message"]["id"] == id_ for event in agent.of("message")[-20:]))
    await replies(agent, "Not yet.", conversation_id)
    await until(lambda: any(event.get("author") == "agent" for event in visitor.received[seen:]))
    spent = 1000 * (time.perf_counter() - since)
    (await sending).raise_for_status()
    return spent


async def measure(tickets: int, open_: int, rounds: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as name:
        folder = await folder_with_people(Path(name), "ada")
        await fill(folder, tickets)
        limits = httpx.Limits(max_connections=open_ + 50, max_keepalive_connections=20)
        with process(folder) as (url, _):
            async with httpx.AsyncClient(base_url=url, timeout=20, limits=limits) as client:
                agent = await agent_of(client)
                listed = await lists(agent, tickets, rounds)
                there_and_back = await round_trips(client, agent, open_, rounds)
    return {
        "tickets": tickets,
        "open": open_,
        "n": rounds,
        "desk_list_ms": spread(listed),
        "there_and_back_ms": spread(there_and_back),
    }


def spread(values: list[float]) -> dict[str, float]:
    if not values:
        return {}
    ordered = sorted(values)
    return {
        "p50": round(statistics.median(ordered), 1),
        "p95": round(ordered[math.ceil(0.95 * len(ordered)) - 1], 1),
        "max": round(ordered[-1], 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tickets", type=int, default=1000)
    parser.add_argument("--open", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=60)
    chosen = parser.parse_args()
    figures = asyncio.run(measure(chosen.tickets, chosen.open, chosen.rounds))
    sys.stdout.write(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
