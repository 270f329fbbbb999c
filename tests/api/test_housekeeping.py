"""Forgetting old turns while the application runs."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from api.housekeeping import purge
from handrail.records.database import open_database
from handrail.records.turns import TurnKey, Turns
from handrail.settings import Storage
from tests.api.live import until

pytestmark = pytest.mark.anyio


async def test_old_turns_go_while_new_ones_stay(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    database = await open_database(Storage(data_dir=tmp_path))
    turns = Turns(database, "default", ttl_s=100, claim_s=10)
    for turn_id, asked_at in (("old", 0.0), ("new", 950.0)):
        await turns.claim(TurnKey(turn_id, turn_id, True, "f"), asked_at)
        await turns.finish(turn_id, {})

    with caplog.at_level(logging.INFO):
        await _purging(turns, lambda: "old turns deleted" in caplog.text)
    await database.close()

    with sqlite3.connect(tmp_path / "handrail.sqlite") as connection:
        assert connection.execute("SELECT turn_id FROM turns").fetchall() == [("new",)]
    assert "1 old turns deleted" in caplog.text


async def test_broken_database_does_not_end_it(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    database = await open_database(Storage(data_dir=tmp_path))
    with sqlite3.connect(tmp_path / "handrail.sqlite") as connection:
        connection.execute("DROP TABLE turns")

    turns = Turns(database, "default", ttl_s=100, claim_s=10)
    await _purging(turns, lambda: caplog.text.count("deleted later") >= 2)
    await database.close()


async def _purging(turns: Turns, seen: Callable[[], bool]) -> None:
    """Lets it work until something is seen of it."""
    working = asyncio.create_task(purge(lambda: turns.purge(1000.0), "turns", every_s=0.05))
    await until(seen)
    working.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await working
