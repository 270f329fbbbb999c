"""Forgetting old turns while the application runs."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from pathlib import Path

import pytest

from api.housekeeping import purge_turns
from handrail.records.database import open_database
from handrail.records.turns import TurnKey, Turns
from handrail.settings import Storage

pytestmark = pytest.mark.anyio


async def test_old_turns_go_while_new_ones_stay(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    database = await open_database(Storage(data_dir=tmp_path))
    turns = Turns(database, "default", ttl_s=100, claim_s=10)
    for turn_id, asked_at in (("old", 0.0), ("new", 950.0)):
        await turns.claim(TurnKey(turn_id, turn_id, True, "f"), asked_at)
        await turns.finish(turn_id, {})

    with caplog.at_level(logging.INFO):
        await _for_a_while(turns)
    await database.close()

    with sqlite3.connect(tmp_path / "handrail.sqlite") as connection:
        assert connection.execute("SELECT turn_id FROM turns").fetchall() == [("new",)]
    assert "1 old turns deleted" in caplog.text


async def test_broken_database_does_not_end_it(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    database = await open_database(Storage(data_dir=tmp_path))
    with sqlite3.connect(tmp_path / "handrail.sqlite") as connection:
        connection.execute("DROP TABLE turns")

    await _for_a_while(Turns(database, "default", ttl_s=100, claim_s=10))
    await database.close()

    assert caplog.text.count("deleted later") >= 2


async def _for_a_while(turns: Turns) -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.5):
            await purge_turns(turns, lambda: 1000.0, every_s=0.05)
