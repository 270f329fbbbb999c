"""Opening, upgrading and losing the database."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import Engine, create_engine, event, insert, select, text
from sqlalchemy.pool import Pool

from handrail.errors import SettingsError
from handrail.records import RecordsUnavailable
from handrail.records.database import Database, database_url, open_database
from handrail.records.desk_tables import MessageRow
from handrail.records.migrate import MIGRATIONS, upgrade
from handrail.records.tables import Base
from handrail.settings import Storage
from tests.postgres import new_database

pytestmark = pytest.mark.anyio

OPEN_AND_CLOSE = """
import asyncio, sys
from pathlib import Path
from handrail.records.database import open_database
from handrail.settings import Storage

async def main():
    database = await open_database(Storage(data_dir=Path(sys.argv[1])))
    await database.close()

asyncio.run(main())
"""


@pytest.fixture(autouse=True)
def all_migrations(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is copied here."""
    monkeypatch.setattr("handrail.records.database.upgrade", upgrade)


@pytest.fixture(params=["sqlite", "postgresql"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    """An empty database of each kind, without tables."""
    if request.param == "sqlite":
        return Storage(data_dir=tmp_path)
    return Storage(data_dir=tmp_path, database_url=new_database(request.getfixturevalue("postgres")))


async def test_starts_at_once_do_not_get_into_each_others_way(storage: Storage) -> None:
    databases = await asyncio.gather(*(open_database(storage) for _ in range(8)))

    problems = [await database.problem() for database in databases]
    for database in databases:
        await database.close()

    assert problems == [None] * 8


async def test_opening_again_keeps_what_is_there(storage: Storage) -> None:
    for expected in (0, 1):
        database = await open_database(storage)
        async with database.transaction() as session:
            rows = await session.execute(text("SELECT count(*) FROM turns"))
            assert rows.scalar_one() == expected
            await session.execute(
                text(
                    "INSERT INTO turns (tenant, turn_id, conversation_id, fingerprint, created_at)"
                    " VALUES ('default', :turn_id, 'c', 'f', 0)"
                ),
                {"turn_id": f"t-{expected}"},
            )
        await database.close()


def test_processes_that_start_together_share_one_file(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    starts = [
        subprocess.Popen([sys.executable, "-c", OPEN_AND_CLOSE, str(tmp_path)], env=environment, stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    errors = [start.communicate(timeout=60)[1] for start in starts]

    assert [(start.returncode, error) for start, error in zip(starts, errors, strict=True)] == [(0, b"")] * 2


async def test_migrations_lead_to_the_tables_the_code_knows(tmp_path: Path) -> None:
    database = await open_database(Storage(data_dir=tmp_path))
    await database.close()
    engine = create_engine(f"sqlite:///{tmp_path / 'handrail.sqlite'}")
    with engine.connect() as connection:
        differences = compare_metadata(MigrationContext.configure(connection), Base.metadata)
    engine.dispose()

    assert differences == []


async def test_what_clients_once_said_of_the_past_becomes_the_visitors_word(tmp_path: Path) -> None:
    engine = create_engine(f"sqlite:///{tmp_path / 'handrail.sqlite'}")
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    same = {"tenant": "acme", "conversation_id": "c-1", "text": "Pay here.", "kind": "message", "meta": {}, "at": 1.0}
    rows = [("before-0", "visitor", None), ("before-1", "assistant", None), ("t-1.answer", "assistant", "t-1")]
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0007")
        for seq, (id_, author, turn) in enumerate(rows, 1):
            row = {**same, "seq": seq, "id": id_, "author": author, "turn_id": turn}
            connection.execute(insert(MessageRow).values(row))
    engine.dispose()

    database = await open_database(Storage(data_dir=tmp_path))
    async with database.read_session() as session:
        found = (await session.scalars(select(MessageRow).where(MessageRow.tenant == "acme"))).all()
    await database.close()

    assert [message.author for message in sorted(found, key=lambda one: one.seq)] == ["visitor", "visitor", "assistant"]
    assert "not recorded by us" in next(message.text for message in found if message.id == "before-1")
    assert next(message.text for message in found if message.id == "t-1.answer") == "Pay here."


async def test_sqlite_lets_readers_in_while_somebody_writes(tmp_path: Path) -> None:
    database = await open_database(Storage(data_dir=tmp_path))
    await database.close()

    with sqlite3.connect(tmp_path / "handrail.sqlite") as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ("postgres://ada:secret@db/handrail", "postgresql+asyncpg://ada:secret@db/handrail"),
        ("postgresql://db/handrail?ssl=require", "postgresql+asyncpg://db/handrail?ssl=require"),
        ("postgresql+psycopg://db/handrail", "postgresql+psycopg://db/handrail"),
        ("sqlite:///records.db", "sqlite+aiosqlite:///records.db"),
    ],
)
def test_plain_urls_get_an_async_driver(given: str, used: str) -> None:
    assert database_url(Storage(database_url=given)).render_as_string(hide_password=False) == used


@pytest.mark.parametrize("url", ["not a url", "nosuchdatabase://host/name"])
async def test_unusable_url_names_the_setting(url: str) -> None:
    with pytest.raises(SettingsError, match=r"storage\.database_url"):
        await open_database(Storage(database_url=url))


async def test_database_that_is_away_is_reported_with_what_to_check(tmp_path: Path) -> None:
    nobody = f"postgresql://ada:hunter2@/handrail?host={tmp_path}"

    with pytest.raises(RecordsUnavailable, match=r"DATABASE_URL") as raised:
        await open_database(Storage(database_url=nobody))

    assert "hunter2" not in str(raised.value)


async def test_folder_that_cannot_be_made_is_reported_with_what_to_check(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file where the folder should be")

    with pytest.raises(RecordsUnavailable, match=r"storage\.data_dir"):
        await open_database(Storage(data_dir=tmp_path / "taken"))


async def test_database_lost_later_is_a_problem_and_not_a_crash(tmp_path: Path) -> None:
    database = await open_database(Storage(data_dir=tmp_path))
    with sqlite3.connect(tmp_path / "handrail.sqlite") as connection:
        connection.execute("DROP TABLE turns")

    problem = await database.problem()
    await database.close()

    assert problem is not None
    assert "database" in problem


async def test_records_are_for_the_operator_alone(tmp_path: Path) -> None:
    database = await open_database(Storage(data_dir=tmp_path))
    await database.close()

    mode = stat.S_IMODE((tmp_path / "handrail.sqlite").stat().st_mode)
    assert mode & 0o077 == 0


async def test_a_long_look_holds_no_writer_up_and_changes_nothing(tmp_path: Path) -> None:
    database = await open_database(Storage(data_dir=tmp_path))
    count = text("SELECT count(*) FROM canned")
    write = text("INSERT INTO canned (tenant, id, title, text) VALUES ('default', 'c', 't', 'x')")

    async with database.read_session() as looking:
        assert (await looking.execute(count)).scalar_one() == 0
        async with asyncio.timeout(20), database.transaction() as session:
            await session.execute(write)
        assert (await looking.execute(count)).scalar_one() == 0
    async with database.read_session() as looking:
        assert (await looking.execute(count)).scalar_one() == 1
    with pytest.raises(RecordsUnavailable):
        async with database.read_session() as looking:
            await looking.execute(text("DELETE FROM canned"))
    await database.close()


class Slow(sqlite3.Connection):
    """Takes longer for everything than an event loop to end."""

    def __init__(self, *given: Any, **options: Any) -> None:
        time.sleep(0.1)
        super().__init__(*given, **options)

    def commit(self) -> None:
        time.sleep(0.1)
        super().commit()

    def rollback(self) -> None:
        time.sleep(0.1)
        super().rollback()


@pytest.mark.parametrize(("watched", "moment"), [(Engine, "do_connect"), (Pool, "reset")], ids=["opens", "goes back"])
def test_whoever_is_cancelled_as_a_file_opens_or_goes_back_leaves_no_thread_and_no_error_behind(
    tmp_path: Path, watched: type, moment: str, caplog: pytest.LogCaptureFixture
) -> None:
    """What a thread meets that comes too late for its event loop fails the test."""

    async def look(database: Database) -> None:
        async with database.read_session() as session:
            await session.execute(select(1))

    async def look_and_leave() -> None:
        database = await open_database(Storage(data_dir=tmp_path))
        looking = asyncio.create_task(look(database))

        def slow(_dialect: object, _record: object, _given: object, options: dict[str, Any]) -> None:
            options["factory"] = Slow

        def cancel(*_: object) -> None:
            looking.cancel()

        event.listen(Engine, "do_connect", slow)
        event.listen(watched, moment, cancel)
        try:
            with pytest.raises(asyncio.CancelledError):
                await looking
        finally:
            event.remove(watched, moment, cancel)
            event.remove(Engine, "do_connect", slow)
            await database.close()

    asyncio.run(look_and_leave())

    for thread in threading.enumerate():
        if "connection" in thread.name:
            thread.join(2.0)
            assert not thread.is_alive()
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
