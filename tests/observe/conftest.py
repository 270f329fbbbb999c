from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.observe.langfuse_server import LangfuseServer, langfuse_server


@pytest.fixture
def langfuse() -> Iterator[LangfuseServer]:
    with langfuse_server() as server:
        yield server
