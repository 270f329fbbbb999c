from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.knowledge.help_server import Desk, HelpServer, help_server


@pytest.fixture
def server() -> Iterator[HelpServer]:
    with help_server() as served:
        yield served


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path / "sources", HELP_TOKEN="ada@acme.example/token:s3cret")
    with made.kept:
        yield made
