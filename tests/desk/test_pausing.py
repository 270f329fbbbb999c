"""Whether the assistant is paused, where the records come and go."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import text

from handrail.desk.pausing import Pausing
from handrail.records.database import open_database
from handrail.records.pauses import Pauses
from handrail.settings import Storage

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("paused", [True, False])
async def test_it_stays_as_it_was_while_the_records_cannot_be_read(tmp_path: Path, paused: bool) -> None:
    database = await open_database(Storage(data_dir=tmp_path))
    pauses = Pauses(database, database.tenant)
    pausing = Pausing(pauses)
    if paused:
        await pauses.begin(1.0)
    before = await pausing.paused()
    async with database.transaction() as session:
        await session.execute(text("ALTER TABLE pauses RENAME TO elsewhere"))

    away = await pausing.paused()
    await database.close()

    assert before is away is paused
