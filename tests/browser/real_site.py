"""The real application on a port of its own, with the real assistant over the sample help centre."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx
import uvicorn
from fastapi import FastAPI

from api.app import create_app
from handrail.assembly import Assistant
from handrail.settings import Settings
from handrail.turn.watch import TurnWatch
from handrail.types import Question, Turn
from tests.browser.contract_site import ContractSite
from tests.sample import sample_settings

START_S = 180.0


class Paced(Assistant):
    """The real assistant, `pause_s` later; remembers its turns and how many were cancelled."""

    pause_s = 0.0

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.asked = 0
        self.cancelled = 0
        self.turns: list[Turn] = []

    async def ask(self, question: Question, watch: TurnWatch | None = None) -> Turn:
        self.asked += 1
        try:
            await asyncio.sleep(self.pause_s)
            turn = await super().ask(question, watch)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        self.turns.append(turn)
        return turn


class _Server(uvicorn.Server):
    def install_signal_handlers(self) -> None:
        """Signals belong to pytest; this server runs beside it in a thread."""


@contextmanager
def serve_real_site(
    index: Path,
    records: Path,
    *,
    per_minute: int,
    assistant: Callable[[Settings], Assistant] = Assistant,
    overrides: Mapping[str, str] | None = None,
) -> Iterator[ContractSite]:
    """Its demo page is what a visitor opens. `records` is a file for the database; the index is only read."""
    settings = sample_settings(
        index,
        STORAGE__DATABASE_URL=f"sqlite+aiosqlite:///{records}",
        LIMITS__VISITOR_PER_MINUTE=str(per_minute),
        LIMITS__DEMO_GLOBAL_PER_DAY="0",
        LIMITS__HANDOFF_PER_HOUR="0",
        **(overrides or {}),
    )
    with serving(create_app(settings, assistant(settings))) as base:
        yield ContractSite(url=f"{base}/demo")


@contextmanager
def serving(app: FastAPI) -> Iterator[str]:
    """Where it answers, once it is ready."""
    # Pages that are closed after it hold their streams open.
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", timeout_graceful_shutdown=1)
    server = _Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        _wait(lambda: server.started, thread)
        base = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
        _wait(lambda: httpx.get(f"{base}/ready", timeout=START_S).status_code == 200, thread)
        yield base
    finally:
        server.should_exit = True
        thread.join(timeout=10)


def _wait(done: Callable[[], bool], thread: threading.Thread) -> None:
    until = time.monotonic() + START_S
    while not done():
        if not thread.is_alive() or time.monotonic() > until:
            raise RuntimeError("The application did not start.")
        time.sleep(0.05)
