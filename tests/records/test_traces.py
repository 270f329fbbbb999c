"""Traces are found by trace, turn and conversation, and go with their conversation or when they are old."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from handrail.records.database import Database
from handrail.records.traces import TraceRecords, Wanted
from handrail.records.visitors import VisitorRecords
from tests.records.talks import store, talk

pytestmark = pytest.mark.anyio

DAY_S = 86_400.0


def trace(number: int, conversation: str = "talk", at: float = 100.0, **values: Any) -> dict[str, Any]:
    return {
        "trace_id": f"{number:032x}",
        "turn_id": f"turn-{number}",
        "conversation_id": conversation,
        "at": at,
        "kb": "acme",
        "outcome": {"routing": "answered"},
        "input": {"text": f"question {number}"},
        **values,
    }


async def test_a_trace_is_found_by_its_own_id_its_turn_and_its_conversation(database: Database) -> None:
    traces = TraceRecords(database, "default")
    await store(database, talk("talk", 1.0))
    for number in (1, 2):
        assert await traces.save(trace(number, at=100.0 + number))

    assert await traces.find(f"{1:032x}") == trace(1, at=101.0)
    assert await traces.find("turn-1") == trace(1, at=101.0)
    assert await traces.find("talk") == trace(2, at=102.0)
    assert await traces.find("nothing") is None
    assert await TraceRecords(database, "other").find("turn-1") is None
    assert await traces.turns("talk") == {"turn-1", "turn-2"}


async def test_a_conversation_named_like_a_turn_does_not_hide_the_turns_trace(database: Database) -> None:
    traces = TraceRecords(database, "default")
    await store(database, talk("talk", 1.0), talk("turn-1", 1.0))
    await traces.save(trace(1, at=100.0))
    await traces.save(trace(2, "turn-1", at=200.0))

    assert await traces.find("turn-1") == trace(1, at=100.0)


async def test_traces_are_listed_newest_first_by_what_is_wanted(database: Database) -> None:
    traces = TraceRecords(database, "default")
    await store(database, talk("talk", 1.0), talk("other", 1.0))
    await traces.save(trace(1, at=1.0))
    await traces.save(trace(2, at=2.0, kb="second"))
    await traces.save(trace(3, "other", at=3.0, outcome={"routing": "cannot_answer"}))

    async def listed(**wanted: Any) -> list[str]:
        return [one["turn_id"] for one in await traces.recent(Wanted(**wanted))]

    assert await listed() == ["turn-3", "turn-2", "turn-1"]
    assert await listed(limit=1) == ["turn-3"]
    assert await listed(routing="cannot_answer") == ["turn-3"]
    assert await listed(kb="acme", since=2.0) == ["turn-3"]
    assert await listed(conversation_id="talk", since=2.0) == ["turn-2"]


async def test_nothing_is_kept_of_a_conversation_that_is_not_on_record(database: Database) -> None:
    traces = TraceRecords(database, "default")
    await store(database, talk("talk", 1.0))
    await VisitorRecords(database, "default").delete("visitor-of-talk")

    assert not await traces.save(trace(1))
    assert await traces.recent(Wanted()) == []


async def test_a_deletion_beside_what_is_being_written_leaves_nothing(database: Database) -> None:
    traces, visitors = TraceRecords(database, "default"), VisitorRecords(database, "default")
    for number in range(10):
        await store(database, talk(f"talk-{number}", 1.0, visitor_id="eve"))

    saving = [traces.save(trace(number, f"talk-{number}")) for number in range(10)]
    await asyncio.gather(*saving, visitors.delete("eve"))

    assert await traces.recent(Wanted()) == []


async def test_an_export_holds_the_traces(database: Database) -> None:
    await store(database, talk("talk", 1.0))
    await TraceRecords(database, "default").save(trace(1))

    (exported,) = await VisitorRecords(database, "default").export("visitor-of-talk")

    assert [row["trace"] for row in exported["turn_traces"]] == [trace(1)]


async def test_old_traces_go_and_without_any_days_all_of_them(database: Database) -> None:
    traces = TraceRecords(database, "default")
    await store(database, talk("talk", 1.0))
    await traces.save(trace(1, at=10 * DAY_S))
    await traces.save(trace(2, at=90 * DAY_S))

    assert await traces.forget(30, 100 * DAY_S) == 1
    assert [one["turn_id"] for one in await traces.recent(Wanted())] == ["turn-2"]
    assert await traces.forget(0, 100 * DAY_S) == 1
