"""Every place that can hold an index: real ones, each empty and for one test."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import httpx
import numpy as np
import pytest

from handrail.stores.chroma import ChromaStore
from handrail.stores.chroma_client import connect
from handrail.stores.server import Server
from handrail.stores.store import Store
from handrail.stores.version_collections import VersionCollections
from handrail.stores.version_folders import VersionFolders
from handrail.stores.versions import Versions
from handrail.types import Passage, Vectors

NAMES = (f"acme{n}" for n in count())
PLACES = [
    "chroma-on-disk",
    pytest.param("chroma-server", marks=pytest.mark.slow),
    pytest.param("postgres", marks=pytest.mark.slow),
    "qdrant",
    "faiss",
]
"""Qdrant is what its client does by itself, as no package brings the server: nothing goes over the network."""


@dataclass(frozen=True, slots=True)
class Place:
    kb: str
    versions: Callable[[str], Versions]
    """Of an embedder."""
    store: Callable[[str], Store]
    """An empty one, made for an embedder."""


@contextmanager
def place(name: str, request: pytest.FixtureRequest, folder: Path) -> Iterator[Place]:
    kb = next(NAMES)
    if name == "chroma-on-disk":
        yield Place(
            kb,
            lambda embedder: VersionFolders(folder / "kb" / kb, folder, kb, embedder),
            lambda embedder: created(ChromaStore(connect(folder / "one", None), kb, embedder)),
        )
        return
    server = _server(name, request, folder)
    yield Place(
        kb,
        lambda embedder: VersionCollections(server, kb, embedder),
        lambda embedder: created(server.store(kb, embedder)),
    )
    if name != "chroma-server":
        server.close()


def _server(name: str, request: pytest.FixtureRequest, folder: Path) -> Server:
    if name == "faiss":
        from handrail.stores.faiss import FaissServer

        return FaissServer(folder / "index")
    if name == "chroma-server":
        served: Server = request.getfixturevalue("chroma")
        return served
    if name == "postgres":
        from handrail.stores.postgres import PostgresServer
        from tests.postgres import new_database

        return PostgresServer(new_database(request.getfixturevalue("postgres")))
    from handrail.stores.qdrant import QdrantServer

    return QdrantServer.in_memory()


def created(store: Store) -> Store:
    store.create()
    store.open()
    return store


def passage(article_id: str, position: int = 0, **facets: str) -> Passage:
    return Passage(
        f"{article_id}/{position}",
        article_id,
        position,
        f"Title of {article_id}",
        ("Über", "Steps"),
        "Text, with “quotes” and\nlines.",
        f"https://help.example/{article_id}",
        12,
        facets,
    )


def unit(*values: float) -> Vectors:
    vector = np.asarray(values, dtype=np.float32)
    normed: Vectors = vector / np.linalg.norm(vector)
    return normed


def drawn(rows: int, width: int = 256) -> Vectors:
    """Vectors that lie apart in every direction, the hardest there are to search."""
    found = np.random.default_rng(4).normal(size=(rows, width))
    normed: Vectors = np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), dtype=np.float32)
    return normed


@dataclass(frozen=True, slots=True)
class ChromaProcess:
    url: str
    process: subprocess.Popen[bytes]


@contextmanager
def chroma_process(folder: Path, port: int) -> Iterator[ChromaProcess]:
    """A real Chroma server that responds; it may be killed meanwhile."""
    chroma = str(Path(sys.executable).with_name("chroma"))
    command = [chroma, "run", "--host", "127.0.0.1", "--port", str(port), "--path", str(folder)]
    url = f"http://127.0.0.1:{port}"
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            _wait_for(url)
            yield ChromaProcess(url, process)
        finally:
            process.terminate()


@contextmanager
def chroma_server(folder: Path) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with chroma_process(folder, port) as running:
        yield running.url


def _wait_for(url: str, seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            httpx.get(f"{url}/api/v2/heartbeat", timeout=1).raise_for_status()
            return
        except httpx.HTTPError:
            time.sleep(0.1)
    raise AssertionError(f"no Chroma server at {url} after {seconds} s")
