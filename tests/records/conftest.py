"""Each database that records may live in."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from handrail.records.database import Database, open_database
from handrail.settings import Storage
from tests.migrated import records_of_a_test
from tests.tenancy import statements_without_tenant


@pytest.fixture(params=["sqlite", "postgresql"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Storage]:
    """An empty database of each kind."""
    if request.param == "sqlite":
        yield Storage(data_dir=tmp_path)
        return
    with records_of_a_test(request.getfixturevalue("postgres")) as url:
        yield Storage(data_dir=tmp_path, database_url=url)


@pytest.fixture
async def database(storage: Storage) -> AsyncIterator[Database]:
    """Open, and watched: each statement has to name the tenant."""
    opened = await open_database(storage)
    with statements_without_tenant() as found:
        yield opened
    await opened.close()
    assert found == []
