"""The places that every test of the conformance suite is run in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.stores.chroma import ChromaServer
from tests.stores.places import PLACES, Place, chroma_server, place


@pytest.fixture(scope="session")
def chroma(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChromaServer]:
    """A real one, which several tests may use."""
    folder = tmp_path_factory.mktemp("chroma")
    with chroma_server(folder) as url:
        yield ChromaServer(folder, url)


@pytest.fixture(params=PLACES, name="place")
def every_place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    with place(request.param, request, tmp_path) as found:
        yield found
