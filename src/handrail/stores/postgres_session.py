"""PostgreSQL for code that isn't asynchronous: one engine, on a loop in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

from sqlalchemy import make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from handrail.errors import HandrailError, IndexBusy, MissingExtra, RetryableError, SettingsError

T = TypeVar("T")

CONNECT_S = 10
WAITS_S = 600.0
"""For a statement that changes something, such as the building of an index."""
SCHEMES = ("postgres", "postgresql")
AWAY = ("08", "53", "57", "58")
"""Classes of the codes by which PostgreSQL says that it cannot serve anybody now."""
ABSENT = ("42P01", "3F000")
"""No such table, no such schema."""


class Absent(HandrailError):
    """A table or schema that isn't there."""


class Session:
    """Connections to one database, for any thread."""

    def __init__(self, url: str, settings: dict[str, str]) -> None:
        """`settings` are in force in each connection. Raises SettingsError for a wrong URL, and MissingExtra."""
        self._engine = _engine(url, settings)
        self.place = self._engine.url.render_as_string(hide_password=True)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="postgres-index", daemon=True)
        self._thread.start()

    def run(self, work: Callable[[AsyncConnection], Coroutine[Any, Any, T]], within_s: float = WAITS_S) -> T:
        """What `work` returns, in one transaction. Raises RetryableError where the server is away, and Absent."""

        async def whole() -> T:
            async with self._engine.begin() as connection:
                return await work(connection)

        return self._result(whole(), within_s)

    def rows(self, statement: str, within_s: float = WAITS_S, **values: object) -> list[Any]:
        async def ask(connection: AsyncConnection) -> list[Any]:
            return list((await connection.execute(text(statement), values)).all())

        return self.run(ask, within_s)

    def lock(self, key: str, name: str, *, shared: bool) -> Callable[[], None]:
        """Until what is returned is called, or the connection is lost. Raises IndexBusy where another has it."""
        asked = f"SELECT pg_try_advisory_lock{'_shared' if shared else ''}(hashtextextended(:key, 0))"

        async def take() -> AsyncConnection:
            connection = await self._engine.connect()
            try:
                taken = (await connection.execute(text(asked), {"key": key})).scalar_one()
                await connection.commit()
            except BaseException:
                await connection.invalidate()
                await connection.close()
                raise
            if not taken:
                await connection.close()
                raise IndexBusy(
                    f"{name} at {self.place} is in use by another Handrail process; try again when it is done"
                )
            return connection

        async def give(connection: AsyncConnection) -> None:
            await connection.invalidate()  # the lock ends with its session
            await connection.close()

        def release() -> None:
            if not self._loop.is_closed():
                with suppress(RetryableError):  # where the server is gone, so is the lock
                    self._result(give(connection), CONNECT_S)

        connection = self._result(take(), WAITS_S)
        return release

    def close(self) -> None:
        if self._loop.is_closed():
            return
        self._result(self._engine.dispose(), CONNECT_S)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _result(self, work: Coroutine[Any, Any, T], within_s: float) -> T:
        try:
            return asyncio.run_coroutine_threadsafe(asyncio.wait_for(work, within_s), self._loop).result()
        except DBAPIError as error:
            raise self._said(error) from error
        except OSError as error:  # also what waits too long
            raise RetryableError(f"PostgreSQL doesn't respond at {self.place}: {error or 'timeout'}") from error

    def _said(self, error: DBAPIError) -> HandrailError:
        code = str(getattr(error.orig, "sqlstate", None) or getattr(error.orig, "pgcode", None) or "")
        what = str(error.orig).splitlines()[0].rpartition(">: ")[2]
        if code in ABSENT:
            return Absent(what)
        if not code or error.connection_invalidated or code.startswith(AWAY):
            return RetryableError(f"PostgreSQL doesn't respond at {self.place}: {what}")
        if code.startswith("28") or code == "3D000":
            return SettingsError(f"PostgreSQL at {self.place} refuses the connection: {what}. Correct the URL")
        return HandrailError(f"PostgreSQL at {self.place} says: {what}")


def _engine(url: str, settings: dict[str, str]) -> AsyncEngine:
    try:
        parsed = make_url(url)
    except ArgumentError:
        parsed = None
    if parsed is None or parsed.drivername.partition("+")[0] not in SCHEMES:
        raise SettingsError(
            "the index in PostgreSQL needs storage.postgres_url, or a storage.database_url, such as "
            "postgresql://user:password@host/name"
        )
    options = {"timeout": CONNECT_S, "server_settings": settings}
    try:
        return create_async_engine(
            parsed.set(drivername="postgresql+asyncpg"), pool_pre_ping=True, pool_size=8, connect_args=options
        )
    except ModuleNotFoundError as error:
        raise MissingExtra("the index in PostgreSQL", "postgres") from error
