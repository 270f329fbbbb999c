"""A running application over a scripted assistant."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from tests.api import scripted
from tests.api.scripted import ScriptedAssistant, settings_in
from tests.clock import EPOCH, Clock
from tests.migrated import records_of_a_test
from tests.passwords import cheap_hashes as cheap_hashes
from tests.tenancy import statements_without_tenant

Serve = Callable[..., TestClient]


@pytest.fixture
def clock() -> Clock:
    return Clock(EPOCH)


@pytest.fixture
def assistant() -> ScriptedAssistant:
    return ScriptedAssistant()


@pytest.fixture(params=["sqlite", "postgresql"])
def each_database(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Records in SQLite, and then again in PostgreSQL; whatever the test did, each statement named its tenant."""
    with ExitStack() as running:
        if request.param == "postgresql":
            url = running.enter_context(records_of_a_test(request.getfixturevalue("postgres")))
            monkeypatch.setattr(scripted, "DATABASE_URL", url)
        found = running.enter_context(statements_without_tenant())
        yield
    assert found == []


@pytest.fixture
def serve(tmp_path: Path, assistant: ScriptedAssistant, clock: Clock) -> Iterator[Serve]:
    """Starts the application with the given settings sections, waits until it is ready, and stops it afterwards."""
    with ExitStack() as running:

        def start(**sections: dict[str, Any]) -> TestClient:
            client = TestClient(create_app(settings_in(tmp_path, **sections), assistant, clock))
            running.enter_context(client)
            return client

        yield start


@pytest.fixture
def client(serve: Serve) -> TestClient:
    return serve()
