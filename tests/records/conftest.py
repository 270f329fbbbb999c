"""Each database that records may live in."""

from __future__ import annotations

from pathlib import Path

import pytest

from handrail.settings import Storage
from tests.postgres import new_database


@pytest.fixture(params=["sqlite", "postgresql"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    """An empty database of each kind."""
    if request.param == "sqlite":
        return Storage(data_dir=tmp_path)
    return Storage(data_dir=tmp_path, database_url=new_database(request.getfixturevalue("postgres")))
