"""Each database that records may live in."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from handrail.records.database import Database, open_database
from handrail.settings import Storage
from tests.migrated import new_records
from tests.tenancy import statements_without_tenant


@pytest.fixture(params=["sqlite", "postgresql"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    """An empty database of each kind."""
    if request.param == "sqlite":
        return Storage(data_dir=tmp_path)
    return Storage(data_dir=tmp_path, database_url=new_records(request.getfixturevalue("postgres")))


@pytest.fixture
async def database(storage: Storage) -> AsyncIterator[Database]:
    """Open, and watched: each statement has to name the tenant."""
    opened = await open_database(storage)
    with statements_without_tenant() as found:
        yield opened
    await opened.close()
    assert found == []
