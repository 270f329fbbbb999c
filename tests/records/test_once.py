"""Running a turn once."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from handrail.records.database import open_database
from handrail.records.once import Once, StillRunning, TurnConflict
from handrail.records.turns import TurnKey, Turns
from handrail.settings import Storage

pytestmark = pytest.mark.anyio

KEY = TurnKey("t-1", "c-1", True, "how?")


class Work:
    """Counts how often it is done; waits for `go` when it has one."""

    def __init__(self, go: asyncio.Event | None = None, fails: Exception | None = None) -> None:
        self.done = 0
        self.begun = asyncio.Event()
        self._go = go
        self._fails = fails

    async def __call__(self) -> dict[str, Any]:
        self.done += 1
        self.begun.set()
        if self._go is not None:
            await self._go.wait()
        if self._fails is not None:
            raise self._fails
        return {"answer": self.done}


@asynccontextmanager
async def once_in(folder: Path, queue_s: float = 5, turn_s: float = 5) -> AsyncIterator[Once]:
    database = await open_database(Storage(data_dir=folder))
    try:
        yield Once(Turns(database, "default", 3600, 60), time.time, queue_s=queue_s, turn_s=turn_s)
    finally:
        await database.close()


async def test_work_is_done_once_for_one_turn(tmp_path: Path) -> None:
    work = Work()
    async with once_in(tmp_path) as once:
        responses = await asyncio.gather(*(once.run(KEY, work) for _ in range(5)))

    assert responses == [{"answer": 1}] * 5
    assert work.done == 1


async def test_turns_of_a_conversation_follow_each_other(tmp_path: Path) -> None:
    order: list[str] = []

    async def slow(name: str) -> dict[str, Any]:
        order.append(f"{name} begins")
        await asyncio.sleep(0.03)
        order.append(f"{name} ends")
        return {}

    async with once_in(tmp_path) as once:
        await asyncio.gather(*(once.run(replace(KEY, turn_id=name), partial(slow, name)) for name in ("a", "b", "c")))

    assert [entry.split()[1] for entry in order] == ["begins", "ends"] * 3


async def test_waiting_for_the_conversation_has_an_end(tmp_path: Path) -> None:
    go = asyncio.Event()
    async with once_in(tmp_path, queue_s=0.1) as once:
        work = Work(go)
        first = asyncio.create_task(once.run(KEY, work))
        await work.begun.wait()
        with pytest.raises(StillRunning):
            await once.run(replace(KEY, turn_id="t-2"), Work())
        go.set()
        await first


async def test_waiting_for_the_same_turn_has_an_end(tmp_path: Path) -> None:
    go = asyncio.Event()
    async with once_in(tmp_path, turn_s=0.1) as once:
        work = Work(go)
        first = asyncio.create_task(once.run(KEY, work))
        await work.begun.wait()
        with pytest.raises(StillRunning):
            await once.run(KEY, Work())
        go.set()
        await first


async def test_conflict_is_raised_without_waiting(tmp_path: Path) -> None:
    async with once_in(tmp_path) as once:
        await once.run(KEY, Work())
        with pytest.raises(TurnConflict):
            await once.run(replace(KEY, fingerprint="why?"), Work())


async def test_failed_work_is_done_again_for_those_who_waited(tmp_path: Path) -> None:
    go = asyncio.Event()
    second = Work()
    async with once_in(tmp_path) as once:
        work = Work(go, RuntimeError("broken"))
        first = asyncio.create_task(once.run(KEY, work))
        await work.begun.wait()
        waiting = asyncio.create_task(once.run(KEY, second))
        go.set()
        with pytest.raises(RuntimeError, match="broken"):
            await first

        assert await waiting == {"answer": 1}


async def test_without_a_database_the_work_is_done_all_the_same(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with once_in(tmp_path) as once:
        with sqlite3.connect(tmp_path / "handrail.sqlite") as connection:
            connection.execute("DROP TABLE turns")
        with caplog.at_level(logging.WARNING):
            response = await once.run(KEY, Work())

    assert response == {"answer": 1}
    assert "recorded" in caplog.text
