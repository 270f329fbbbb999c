"""A server of the index that dies or stands still while turns search it: the whole product over a real Chroma."""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
from collections.abc import AsyncIterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import psutil
import pytest

from eval.benchmark.server import free_port
from handrail.assembly.index import current_index, writing
from handrail.assembly.searching import CONSEQUENCE
from handrail.stores.store import SEARCH_S
from tests.freezing import frozen
from tests.load.streams import server_in
from tests.sample import sample_settings
from tests.stores.places import chroma_process

pytestmark = [pytest.mark.anyio, pytest.mark.slow, pytest.mark.models]

QUESTION = "How do I set up a waitlist?"
ARTICLE = "bookings:waitlist"
TOKEN = "sk-proj-Zk3nV9qLw8XbT2mRc6Yd"
SECRET = "hunter2-is-no-password"
TURN_S = 30
AT_ONCE = 12
"""More than there are threads for what would stop the event loop."""


@pytest.fixture(scope="module")
def served_index(sample_index: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a Chroma server that holds the sample."""
    folder = tmp_path_factory.mktemp("chroma")
    with (
        chroma_process(folder, free_port()) as chroma,
        current_index(sample_settings(sample_index)) as held,
        writing(sample_settings(sample_index, STORAGE__CHROMA_URL=chroma.url), needed=False) as written,
    ):
        new = written.begin()
        new.take(held)
        new.finish(held.generation)
        written.publish()
    return folder


@pytest.fixture
def data(sample_index: Path, tmp_path: Path) -> Path:
    """All that the sample's data folder holds but for the index."""
    return Path(shutil.copytree(sample_index, tmp_path / "data", ignore=shutil.ignore_patterns("versions", "chroma")))


async def parts(client: httpx.AsyncClient, text: str = QUESTION) -> AsyncIterator[dict[str, Any]]:
    body = {"question": text, "conversation_id": uuid4().hex}
    async with client.stream("POST", "/chat/stream", json=body) as response:
        assert response.status_code == 200
        async for line in response.aiter_lines():
            if line.startswith("data: {"):
                yield json.loads(line[6:])


async def asked(client: httpx.AsyncClient, text: str = QUESTION) -> dict[str, Any]:
    (outcome,) = [part["data"] async for part in parts(client, text) if part["type"] == "data-outcome"]
    return dict(outcome)


def articles(outcome: dict[str, Any]) -> list[str]:
    return [source["id"] for source in outcome["citations"]]


@pytest.mark.parametrize("how", ["killed", "frozen"])
async def test_the_articles_in_memory_are_searched_instead(
    served_index: Path, data: Path, tmp_path: Path, how: str
) -> None:
    port = free_port()
    changes = {
        "HANDRAIL__STORAGE__CHROMA_URL": f"http://handrail:{SECRET}@127.0.0.1:{port}",
        "HANDRAIL__SERVER__TURN_DEADLINE_S": str(TURN_S),
    }
    with ExitStack() as running:
        chroma = running.enter_context(chroma_process(served_index, port))
        url, _ = running.enter_context(server_in(tmp_path, None, data, changes))
        async with httpx.AsyncClient(base_url=url, timeout=60, trust_env=False) as client, asyncio.timeout(240):
            before = await asked(client)
            with ExitStack() as still:
                still.enter_context(frozen(chroma.process.pid))
                texts = [f"{QUESTION} My key is {TOKEN}, try {n}." for n in range(AT_ONCE)]
                turns = [asyncio.create_task(asked(client, text)) for text in texts]
                await asyncio.sleep(0.5)
                handing = asyncio.create_task(
                    client.post("/handoff", json={"conversation_id": "c-1", "message": "Please help."}, timeout=3)
                )
                async for part in parts(client):
                    if how == "killed" and part["type"] == "data-stage" and part["data"] == {"name": "retrieve"}:
                        psutil.Process(chroma.process.pid).kill()
                handed = await handing
                meanwhile = await asyncio.gather(*turns)
                at_once = await asked(client)
                ready = (await client.get("/ready")).json()
                while not ready["degraded"]:  # the index is looked at every other second, and waited for
                    await asyncio.sleep(0.2)
                    ready = (await client.get("/ready")).json()
            if how == "killed":
                chroma.process.wait()
                running.enter_context(chroma_process(served_index, port))
            after = await asked(client)
            while after["meta"]["degraded"]:
                await asyncio.sleep(0.2)
                after = await asked(client)
            log = (tmp_path / "serve.log").read_text("utf-8")

    for outcome in (before, *meanwhile, at_once, after):
        assert outcome["routing"] == "answered"
        assert articles(outcome) == articles(before)
    for outcome in (*meanwhile, at_once):
        assert outcome["meta"]["degraded"] == ["index"]
        assert outcome["meta"]["latency_ms"]["total"] < TURN_S * 1000
    assert at_once["meta"]["latency_ms"]["retrieve"] < SEARCH_S * 1000
    assert handed.status_code == 201
    assert "index" in {one["part"] for one in ready["degraded"]}
    with closing(sqlite3.connect(tmp_path / "load.db")) as records:
        kept = records.execute("SELECT count(*) FROM turns").fetchone()[0]
    assert kept >= AT_ONCE + 3
    assert log.count(CONSEQUENCE) == 1, log
    assert not [word for word in (TOKEN, SECRET, "Traceback") if word in log]
