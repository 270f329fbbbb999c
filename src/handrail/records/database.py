"""One engine per process: SQLite in the data folder, or any database SQLAlchemy has an async driver for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from filelock import AsyncFileLock
from sqlalchemy import Connection, event, select, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DataError, DBAPIError, IntegrityError, NoSuchModuleError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, AsyncSession, create_async_engine

from handrail.errors import MissingExtra, PermanentError, SettingsError
from handrail.records import NotStorable, RecordsUnavailable
from handrail.records.line import Line
from handrail.records.migrate import Tables, tables, upgrade
from handrail.records.silence import Silence
from handrail.records.tables import TurnRow
from handrail.records.trouble import AWAY, trouble_of
from handrail.settings import Storage
from handrail.settings.tenants import OWN

ASYNC_DRIVERS = {"postgres": "postgresql+asyncpg", "postgresql": "postgresql+asyncpg", "sqlite": "sqlite+aiosqlite"}
LOCK_WAIT_MS = 10_000
LOOK_S = 3.0
"""Whoever asks for readiness has to be told before he gives up himself."""
SILENCE: dict[str, Any] = {"timeout": 5.0, "command_timeout": 10.0}
"""Seconds that a server may take to let somebody in, and for a statement: without them a frozen one holds all up."""

ONE_AT_A_TIME: dict[str, Any] = {"pool_size": 1, "max_overflow": 0, "pool_timeout": LOCK_WAIT_MS / 1000}
"""SQLite has one writer, for which everybody stands in a `Line`."""
SEVERAL: dict[str, Any] = {"pool_size": 10, "max_overflow": 5, "pool_timeout": LOCK_WAIT_MS / 1000}
FEW: dict[str, Any] = {"pool_size": 3, "max_overflow": 3, "pool_timeout": LOCK_WAIT_MS / 1000}
"""Of a database server for hand-offs and the desk alone."""
READERS: dict[str, Any] = {"pool_size": 3, "max_overflow": 0, "pool_timeout": LOCK_WAIT_MS / 1000}
"""SQLite's readers see the last commit and wait for no writer; a long report holds no message up."""


class Database:
    """Opened by `open_database`; close it, or its threads outlive the event loop."""

    def __init__(
        self,
        engine: AsyncEngine,
        readers: AsyncEngine,
        line: Line | None,
        apart: Database | None = None,
        tenant: str = OWN,
        silence: Silence | None = None,
        closing: set[asyncio.Task[None]] | None = None,
    ) -> None:
        """`silence`: of a database server, which may freeze; a file has none. `closing`: shared by all tenants."""
        self.tenant = tenant
        """Whose records are meant."""
        self._engine = engine
        self._readers = readers
        self._line = line
        self._apart = apart
        self._silence = silence
        self._closing: set[asyncio.Task[None]] = set() if closing is None else closing

    def of(self, tenant: str) -> Database:
        """The same connections, for the records of another tenant. Not to be closed."""
        apart = self._apart.of(tenant) if self._apart is not None else None
        return Database(self._engine, self._readers, self._line, apart, tenant, self._silence, self._closing)

    @property
    def apart(self) -> Database:
        """The same records over connections that are kept for hand-offs and the desk; in SQLite they write first.

        However many questions use up the others, these are free.
        """
        return self._apart or self

    @property
    def queued(self) -> int:
        """Transactions that wait for SQLite's one writer."""
        return len(self._line) if self._line is not None else 0

    def transaction(self) -> AbstractAsyncContextManager[AsyncSession]:
        """Commits at the end, rolls back on any error. Raises NotStorable, and RecordsUnavailable when it fails."""
        return self._transaction(self._engine, self._line)

    def read_session(self) -> AbstractAsyncContextManager[AsyncSession]:
        """A transaction that changes nothing; it sees what was committed before. Raises RecordsUnavailable."""
        return self._transaction(self._readers, self._line if self._readers is self._engine else None)

    @asynccontextmanager
    async def _transaction(self, engine: AsyncEngine, line: Line | None) -> AsyncIterator[AsyncSession]:
        try:
            async with AsyncExitStack() as held:
                if line is not None:
                    await held.enter_async_context(line.turn(first=self._apart is None))
                session = AsyncSession(engine, expire_on_commit=False)
                opening = asyncio.create_task(session.connection()) if self._silence is None else None
                try:
                    if self._silence is not None:
                        await _connected(session, self._silence)
                    elif opening is not None:
                        await asyncio.shield(opening)
                    yield session
                except BaseException:
                    await self._to_the_end(_closed(session, opening))
                    raise
                await self._to_the_end(_committed(session))
        except IntegrityError:
            raise
        except (DBAPIError, PoolTimeout, OSError) as error:
            if isinstance(error, DBAPIError) and _of_data(error):
                raise NotStorable("a value can't be stored") from error
            raise RecordsUnavailable(trouble_of(error)) from error

    async def problem(self) -> str | None:
        """What is wrong, for readiness, within `LOOK_S`; None when all is well."""
        try:
            async with asyncio.timeout(LOOK_S), self.transaction() as session:
                await session.execute(select(TurnRow.turn_id).where(TurnRow.tenant == "").limit(1))
        except TimeoutError:
            return AWAY
        except RecordsUnavailable as error:
            return str(error)
        return None

    async def _to_the_end(self, closing: Coroutine[Any, Any, None]) -> None:
        """A connection goes back also when whoever used it is cancelled meanwhile."""
        task = asyncio.create_task(closing)
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)
        await asyncio.shield(task)

    async def close(self) -> None:
        """Connections go back first: one left behind keeps a thread that waits for an event loop that is gone."""
        if closing := self._closing | self.apart._closing:
            await asyncio.wait(closing, timeout=LOCK_WAIT_MS / 1000)
        for engine in {self._readers, self._engine, self.apart._readers, self.apart._engine}:
            await engine.dispose()


async def _closed(session: AsyncSession, opening: asyncio.Task[Any] | None) -> None:
    """A file that is being opened is opened first: it happens in a thread, which can't be stopped."""
    if opening is not None:
        await asyncio.gather(opening, return_exceptions=True)
    await session.close()


async def _committed(session: AsyncSession) -> None:
    try:
        await session.commit()
    finally:
        await session.close()


async def _connected(session: AsyncSession, silence: Silence) -> None:
    """A connection that the server was heard over. Only here: a statement may be slow though the server is well."""
    if not silence.may_try():
        raise TimeoutError("the database didn't respond a moment ago")
    try:
        await session.connection()
    except TimeoutError:
        silence.waited_in_vain()
        raise
    silence.answered()


def _of_data(error: DBAPIError) -> bool:
    """Whether it is about a value: class 22 of the SQL standard's states, which asyncpg's errors carry."""
    return isinstance(error, DataError) or str(getattr(error.orig, "sqlstate", "")).startswith("22")


async def open_database(storage: Storage) -> Database:
    """Connect and bring the tables up to date; several processes may start at once.

    Raises SettingsError for a URL that cannot be used, MissingExtra for a driver that is not installed, PermanentError
    for tables of a newer version, and RecordsUnavailable when the database is away.
    """
    url = database_url(storage)
    engine = _engine(url)
    try:
        async with _alone(engine.url), _begun(engine) as connection:
            await connection.run_sync(upgrade)
    except PermanentError:
        await engine.dispose()
        raise
    except (DBAPIError, OSError) as error:
        await engine.dispose()
        raise RecordsUnavailable(
            f"can't open the database: {trouble_of(error)}. Check storage.database_url (DATABASE_URL), and that "
            "storage.data_dir is writable"
        ) from error
    if url.get_backend_name() != "sqlite":
        await engine.dispose()
        engine = _engine(url, {**SEVERAL, **_impatient(url)})  # an upgrade may take as long as it takes
    return _database(url, engine).of(storage.tenant)


async def look_at(storage: Storage) -> Tables:
    """How the tables stand, after a try at writing that is taken back; nothing is made or brought up to date.

    Raises SettingsError, MissingExtra, and RecordsUnavailable within `LOOK_S`, or the `LOCK_WAIT_MS` of a locked file.
    """
    url = database_url(storage)
    if _in_file(url) and _is_missing(url):
        return Tables.MISSING
    engine = _engine(url, {**FEW, **_impatient(url)})
    try:
        async with asyncio.timeout(None if _in_file(url) else LOOK_S), _begun(engine) as connection:
            found = await connection.run_sync(tables)
            if found is not Tables.MISSING:
                await connection.execute(text("UPDATE alembic_version SET version_num = version_num"))
            await connection.rollback()
            return found
    except (DBAPIError, OSError) as error:
        raise RecordsUnavailable(trouble_of(error)) from error
    finally:
        await engine.dispose()


@asynccontextmanager
async def _begun(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    """A transaction. Raises SettingsError for what a driver doesn't take, without a value of it."""
    try:
        connection = await engine.connect()
    except (TypeError, ValueError):
        raise SettingsError(
            "storage.database_url (DATABASE_URL): its driver refuses an option behind the `?`. Behind postgresql://, "
            "write ssl=require for sslmode=require"
        ) from None
    try:
        async with connection.begin():
            yield connection
    finally:
        await connection.close()


def _database(url: URL, engine: AsyncEngine) -> Database:
    if url.get_backend_name() != "sqlite":
        few, silence = _engine(url, {**FEW, **_impatient(url)}), Silence()
        apart = Database(few, few, None, silence=silence)
        return Database(engine, engine, None, apart, silence=silence)
    line = Line(LOCK_WAIT_MS / 1000)
    if not _in_file(url):
        return Database(engine, engine, line, Database(engine, engine, line))
    return Database(engine, _readers(url), line, Database(engine, _readers(url), line))


def database_url(storage: Storage) -> URL:
    """`storage.database_url` with an async driver; SQLite in the data folder when there is none."""
    if not storage.database_url:
        return URL.create("sqlite+aiosqlite", database=str(storage.data_dir / "handrail.sqlite"))
    try:
        url = make_url(storage.database_url)
    except (ArgumentError, ValueError):  # the latter quotes what stands where a port should, such as half a password
        raise SettingsError(
            "storage.database_url (DATABASE_URL) isn't a URL. Write postgresql://user:password@host/name, with "
            "%-escapes for signs such as / and @ in the password"
        ) from None
    return url.set(drivername=ASYNC_DRIVERS.get(url.drivername, url.drivername))


def _impatient(url: URL) -> dict[str, Any]:
    return {"connect_args": SILENCE} if url.drivername == ASYNC_DRIVERS["postgresql"] else {}


def _engine(url: URL, pool: dict[str, Any] = SEVERAL) -> AsyncEngine:
    """Parameters are hidden, because what a statement failed with is logged, and they hold what visitors wrote."""
    sqlite = url.get_backend_name() == "sqlite"
    try:
        chosen = ONE_AT_A_TIME if sqlite else {"pool_pre_ping": True, **pool}
        engine = create_async_engine(url, hide_parameters=True, **chosen)
    except NoSuchModuleError:
        raise SettingsError(f"storage.database_url: there is no database driver {url.drivername!r}") from None
    except ModuleNotFoundError as error:
        if url.get_backend_name() == "postgresql":
            raise MissingExtra("records in PostgreSQL", "postgres") from error
        raise SettingsError(f"storage.database_url: install the Python package {error.name!r} first") from error
    if url.get_backend_name() == "sqlite":
        event.listen(engine.sync_engine, "connect", _prepare_sqlite)
        event.listen(engine.sync_engine, "begin", _begin_sqlite)
    return engine


def _readers(url: URL) -> AsyncEngine:
    """Connections to a SQLite file that can only read."""
    engine = create_async_engine(url, hide_parameters=True, **READERS)
    event.listen(engine.sync_engine, "connect", _prepare_reader)
    event.listen(engine.sync_engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN"))
    return engine


def _in_file(url: URL) -> bool:
    """Whether it is a SQLite database that several connections can share."""
    named = url.database not in (None, "", ":memory:") and "mode=memory" not in str(url)
    return url.get_backend_name() == "sqlite" and named


@asynccontextmanager
async def _alone(url: URL) -> AsyncIterator[None]:
    """One start at a time for a SQLite file: two that switch a new file to WAL at once lock each other out."""
    if not _in_file(url):
        yield
        return
    path = Path(url.database or "")
    _make_private(path)
    async with AsyncFileLock(f"{path}.lock", timeout=LOCK_WAIT_MS / 1000):
        yield


def _is_missing(url: URL) -> bool:
    return not Path(url.database or "").exists()


def _make_private(path: Path) -> None:
    """What visitors wrote is for the operator's account alone; SQLite gives its side files the same mode."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o600)


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in (f"busy_timeout={LOCK_WAIT_MS}", "journal_mode=WAL", "synchronous=NORMAL"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _prepare_reader(connection: Any, _record: Any) -> None:
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in (f"busy_timeout={LOCK_WAIT_MS}", "query_only=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    """Take the write lock at once: a transaction that read first could not wait for it later."""
    connection.exec_driver_sql("BEGIN IMMEDIATE")
