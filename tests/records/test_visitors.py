"""What is on record about a visitor goes when it is deleted, in every table; what is old goes by itself."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from sqlalchemy import JSON, Boolean, Double, Integer, LargeBinary, Table, insert, select
from sqlalchemy.types import TypeEngine

from handrail.records import access_tables, desk_tables, learning_tables, mail_tables, outbox_table, trace_table  # noqa: F401
from handrail.records.database import Database, open_database
from handrail.records.digests import digest
from handrail.records.tables import Base
from handrail.records.visitors import VisitorRecords
from handrail.settings import Storage
from tests.records.talks import store, talk

pytestmark = pytest.mark.anyio

OWN = {"users", "sessions", "canned", "api_keys", "second_factors", "pauses"}
"""What the desk has of its own people."""
HASHED = {"daily_counts", "mail_counts", "visitor_tokens"}
"""Hashes and numbers, which have to hold whatever a visitor asks for meanwhile."""
LEAST = {
    "conversations",
    "messages",
    "turn_evidence",
    "outbox",
    "question_vectors",
    "turn_facts",
    "audit",
    "turn_traces",
}
DAY_S = 86_400.0


@pytest.fixture
async def database(storage: Storage) -> AsyncIterator[Database]:
    opened = await open_database(storage)
    yield opened
    await opened.close()


def tables() -> list[Table]:
    """Every table with something of a visitor's."""
    found = [table for table in Base.metadata.sorted_tables if table.name not in OWN | HASHED]
    assert {table.name for table in found} >= LEAST
    return found


def trace(table: Table, number: int, at: float = 100.0) -> dict[str, Any]:
    """A row of a visitor's in any table, known by the visitor's number in everything that is text."""
    given = {
        "tenant": "default",
        "conversation_id": f"talk-{number}",
        "turn_id": f"turn-{number}",
        "email": f"eve-{number}@example.net",
        "visitor_id": f"visitor-{number}",
        "target": f"visitor-{number}" if table.name == "audit" else f"eve-{number}@example.net",
        "digest": digest(f"words-{number}"),
        "id": f"talk-{number}" if table.name == "conversations" else f"id-{number}",
    }
    return {c.name: given.get(c.name) or _value(c.name, c.type, number, at) for c in table.columns}


def _value(name: str, kind: TypeEngine[Any], number: int, at: float) -> Any:
    if isinstance(kind, JSON):
        return {"words": f"words-{number}"}
    if isinstance(kind, Boolean):
        return False
    if isinstance(kind, LargeBinary):
        return b"\x00"
    if isinstance(kind, Integer):
        return number
    if isinstance(kind, Double):
        return at
    return f"words-{number}"[: getattr(kind, "length", None) or 80]


async def everything(database: Database) -> dict[str, list[str]]:
    """All rows of the visitors' tables as text."""
    async with database.transaction() as session:
        return {
            table.name: [json.dumps(list(row), default=str) for row in await session.execute(select(table))]
            for table in tables()
        }


async def fill(database: Database, *rows: tuple[int, float]) -> None:
    async with database.transaction() as session:
        for table in tables():
            for number, at in rows:
                await session.execute(insert(table).values(trace(table, number, at)))


@pytest.mark.parametrize("known_by", ["visitor-77", "eve-77@example.net"])
async def test_nothing_of_a_deleted_visitor_is_left_anywhere(database: Database, known_by: str) -> None:
    await fill(database, (77, 100.0), (88, 100.0))

    gone = await VisitorRecords(database, "default").delete(known_by)

    assert gone.conversations == ["talk-77"]
    assert len(gone.turns) == 1
    left = await everything(database)
    for marker in ("talk-77", "visitor-77", "eve-77@example.net", digest("words-77")):
        assert not [(name, row) for name, rows in left.items() for row in rows if marker in row]
    figures = {"turn_facts", "cited_articles", "model_usage"}
    spoken = {name for name, rows in left.items() for row in rows if "words-77" in row}
    assert spoken <= figures | {"audit"}
    assert all(sum("88" in row for row in rows) == 1 for rows in left.values())


async def test_an_address_left_once_finds_all_conversations_of_that_visitor(database: Database) -> None:
    both = [talk("one", 1.0, visitor_id="v-1", email="eve@example.net"), talk("two", 2.0, visitor_id="v-1")]
    await store(database, *both, talk("three", 3.0, visitor_id="v-2"))

    gone = await VisitorRecords(database, "default").delete("eve@example.net")

    assert gone.conversations == ["one", "two"]


async def test_another_tenant_keeps_its_visitor_of_the_same_name(database: Database) -> None:
    await fill(database, (77, 100.0))

    gone = await VisitorRecords(database, "other").delete("visitor-77")
    assert (gone.conversations, gone.turns) == ([], [])
    assert all(rows for rows in (await everything(database)).values())


async def test_what_is_kept_long_enough_goes_and_figures_stay(database: Database) -> None:
    await fill(database, (1, 10 * DAY_S), (2, 90 * DAY_S))

    assert await VisitorRecords(database, "default").forget(70, 100 * DAY_S) == 1

    left = await everything(database)
    kept = {name for name, rows in left.items() if any("-1" in row for row in rows)}
    assert kept == {"turn_facts", "cited_articles", "model_usage"}
    assert all(any("-2" in row or digest("words-2") in row for row in rows) for rows in left.values())


async def test_counts_of_mail_go_with_their_day(database: Database) -> None:
    counts = Base.metadata.tables["mail_counts"]
    async with database.transaction() as session:
        for day in (98, 99, 100):
            row = {"tenant": "default", "day": day, "scope": "code_all", "key": "k", "sent": 1}
            await session.execute(insert(counts).values(row))

    await VisitorRecords(database, "default").forget(36_500, 100.5 * DAY_S)

    async with database.transaction() as session:
        assert list(await session.scalars(select(counts.c.day))) == [100]


async def test_without_retention_a_conversation_goes_once_it_is_over(database: Database) -> None:
    """Nobody has written for an hour, and nobody waits for a person or talks to one."""
    now = 100 * DAY_S
    states = ("bot", "queued", "person", "handed_back", "resolved")
    old = [talk(state, now - 3601, state=state) for state in states]
    await store(database, *old, talk("fresh", now - 3599))

    assert await VisitorRecords(database, "default").forget(0, now) == 3

    left = "".join((await everything(database))["conversations"])
    assert {id_ for id_ in (*states, "fresh") if f"visitor-of-{id_}" in left} == {"queued", "person", "fresh"}


async def test_export_holds_each_kind_of_record(database: Database) -> None:
    await fill(database, (77, 100.0), (88, 100.0))

    found = await VisitorRecords(database, "default").export("eve-77@example.net")

    assert len(found) == 1
    assert {"conversation", "messages", "turn_evidence", "feedback", "notes", "outbox"} <= set(found[0])
    text = json.dumps(found[0])
    assert "words-77" in text
    assert "88" not in text
