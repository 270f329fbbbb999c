"""Keeping the knowledge base in step with its declared sources, in a process beside the server.

An ingest is long work for the processor and memory; in a process of its own it holds up no visitor, and what goes wrong
there ends nothing here. The server notices the new version by itself.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from handrail.assembly import kb_folder
from handrail.knowledge.sync import LAST
from handrail.settings import Settings
from handrail.settings.sources import Source
from handrail.settings.tenants import OWN

log = logging.getLogger("handrail.sync")

LOOK_S = 60.0


class Syncing:
    def __init__(self, settings: Settings, clock: Callable[[], float]) -> None:
        self._settings = settings
        self._clock = clock
        self._running: asyncio.Task[None] | None = None
        kb = settings.knowledge.kb
        self.sources: list[Source] = [one for one in settings.sources if (one.kb or kb) == kb]
        self.every_minutes = settings.knowledge.sync_every_minutes
        self._last = kb_folder(settings, kb) / LAST

    @property
    def running(self) -> bool:
        return self._running is not None and not self._running.done()

    async def last(self) -> dict[str, Any] | None:
        """What the newest run told, wherever it ran; None where there was none."""
        return await asyncio.to_thread(_read, self._last)

    def start(self) -> bool:
        """Whether a run was begun: not while one is under way."""
        if self.running:
            return False
        self._running = asyncio.create_task(self._run())
        return True

    async def watch(self) -> None:
        """Run as often as the settings say, counted from the newest run, for as long as the application runs."""
        while True:
            last = await self.last()
            due = (last or {}).get("finished", 0.0) + 60.0 * self.every_minutes
            if self._clock() >= due and self.start() and self._running is not None:
                await self._running
            await asyncio.sleep(min(LOOK_S, 60.0 * self.every_minutes))

    async def close(self) -> None:
        if self._running is not None:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)

    async def _run(self) -> None:
        tenant = self._settings.storage.tenant
        of_tenant = () if tenant == OWN else ("--tenant", tenant)
        command = (sys.executable, "-m", "handrail", *of_tenant, "sync", "--kb", self._settings.knowledge.kb)
        process = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.PIPE)
        try:
            _, errors = await process.communicate()
        except asyncio.CancelledError:
            process.terminate()  # what it has read is kept, and nothing half done is ever current
            await process.wait()
            raise
        if process.returncode:
            lines = errors.decode(errors="replace").strip().splitlines()
            log.warning("the sync failed: %s", lines[-1] if lines else f"exit status {process.returncode}")


def _read(path: Path) -> dict[str, Any] | None:
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return told if isinstance(told, dict) else None
