"""A running server follows its knowledge base: to a new version, back to an earlier one, and past a broken one."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn

from api.app import create_app
from handrail.assembly import Assistant, kb_folder
from handrail.cli.ingest import run
from handrail.knowledge.folder import Folder
from handrail.settings import Settings
from tests.api.live import until
from tests.sample import sample_settings

pytestmark = [pytest.mark.models, pytest.mark.anyio]

WAITS_S = 240.0
"""A bound for a busy machine; nothing is measured by it."""
QUESTION = "How can I pay for my plan by bank transfer?"
HOURS = "# Set your opening hours\n\nOpen **Settings** and choose **Hours**. Enter when you open and close.\n"
TRANSFER = f"""# {QUESTION}

Bank transfer is available for yearly plans.

1. Open **Billing** and choose **Payment method**.
2. Select **Bank transfer** and copy the account number shown there.
"""


SMALL = {
    "KNOWLEDGE__KB": "shop", "LIMITS__ENABLED": "false", "SERVER__DEMO_MODE": "false", "MODELS__LATE": "none",
    "MODELS__FOREIGN": "none", "SUGGEST__ENABLED": "false",
}  # fmt: skip


def shop(folder: Path) -> tuple[Settings, Path]:
    """Settings of a shop that has one page, and the folder of its pages."""
    pages = folder / "pages"
    pages.mkdir()
    (pages / "hours.md").write_text(HOURS)
    return sample_settings(folder / "data", **SMALL), pages


def ingested(settings: Settings, pages: Path) -> None:
    run(settings, [Folder(pages, "https://help.example", settings.knowledge.max_article_bytes)])


async def handrail(settings: Settings, *arguments: str) -> None:
    """The command in a process of its own, beside the server."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "HANDRAIL__STORAGE__DATA_DIR": str(settings.storage.data_dir),
        "HANDRAIL__KNOWLEDGE__KB": settings.knowledge.kb,
        "HANDRAIL__MODELS__LATE": "none",
        "HANDRAIL__MODELS__FOREIGN": "none",
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "handrail", *arguments, env=environment, stderr=asyncio.subprocess.PIPE
    )
    _, errors = await process.communicate()
    assert process.returncode == 0, errors.decode()


@asynccontextmanager
async def serving(settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    assistant = Assistant(settings)
    config = uvicorn.Config(
        create_app(settings, assistant), host="127.0.0.1", port=0, log_level="error", timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    running = asyncio.create_task(server._serve())
    try:
        await until(lambda: server.started and assistant.ready, WAITS_S)
        port = server.servers[0].sockets[0].getsockname()[1]
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=WAITS_S) as client:
            yield client
    finally:
        server.should_exit = True
        with contextlib.suppress(asyncio.CancelledError):
            await running


async def ask(client: httpx.AsyncClient, question: str = QUESTION) -> dict[str, Any]:
    answer = await client.post("/ask", json={"question": question})
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    assert told["routing"] != "unavailable"
    return told


async def wait_for(true: Callable[[], Awaitable[bool]]) -> None:
    deadline = time.monotonic() + WAITS_S
    while not await true():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.2)


async def test_a_server_answers_from_a_new_version_and_from_an_earlier_one_without_a_restart(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings, pages = shop(tmp_path)
    ingested(settings, pages)

    async def cites(client: httpx.AsyncClient, article: str) -> bool:
        return any(article in str(citation) for citation in (await ask(client))["citations"])

    async def reason(client: httpx.AsyncClient) -> str:
        ready = await client.get("/ready")
        assert ready.status_code == 200
        return next((one["reason"] for one in ready.json()["degraded"] if one["part"] == "index"), "")

    with caplog.at_level(logging.INFO, logger="handrail.assembly.assistant"):
        async with serving(settings) as client:
            assert not await cites(client, "transfer")
            turns, stop = 0, asyncio.Event()

            async def visitors() -> None:
                nonlocal turns
                while not stop.is_set():
                    await ask(client, f"Where do I set my opening hours, attempt {turns}?")
                    turns += 1

            busy = asyncio.create_task(visitors())
            (pages / "transfer.md").write_text(TRANSFER)
            await handrail(settings, "ingest", str(pages))
            await wait_for(lambda: cites(client, "transfer"))
            await handrail(settings, "kb", "rollback")

            async def gone() -> bool:
                return not await cites(client, "transfer")

            await wait_for(gone)
            stop.set()
            await busy
            assert turns

            pointer = kb_folder(settings, "shop") / "current.json"
            named = json.loads(pointer.read_text())
            pointer.write_text(json.dumps(dict.fromkeys(named, 9)))

            async def degraded() -> bool:
                return "version 9" in await reason(client)

            await wait_for(degraded)
            assert "served" in await reason(client)
            assert not await cites(client, "transfer")
            pointer.write_text(json.dumps(dict.fromkeys(named, 2)))
            await wait_for(lambda: cites(client, "transfer"))

            async def well() -> bool:
                return not await reason(client)

            await wait_for(well)

    said = [record.getMessage() for record in caplog.records if record.name == "handrail.assembly.assistant"]
    assert [line.split("(")[0] for line in said if "answers in place of" in line] == [
        f"knowledge base 'shop': version {number} " for number in (2, 1, 2)
    ]
    assert len([line for line in said if "version 9" in line]) == 1
