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
from contextlib import suppress
from pathlib import Path
from typing import Any

from handrail.assembly import kb_folder
from handrail.assembly.sourcing import Known, known_sources
from handrail.knowledge.sources.at_desk import SourceError
from handrail.knowledge.sync import LAST
from handrail.settings import Settings
from handrail.settings.tenants import OWN

log = logging.getLogger("handrail.sync")

LOOK_S = 60.0
PATIENCE_S, LEAVING_S = 60.0, 5.0
"""That a run has to end its batch: when it is stopped at the desk, and when the server ends."""
STOPPED = "stopped before anything was read"
PREVIEW = "sources/preview.json"
"""In a knowledge base's own folder: what the newest preview told."""


class Syncing:
    def __init__(self, settings: Settings, clock: Callable[[], float]) -> None:
        self._settings = settings
        self._clock = clock
        self._running: asyncio.Task[None] | None = None
        self._stop = asyncio.Event()
        self.every_minutes = settings.knowledge.sync_every_minutes
        folder = kb_folder(settings, settings.knowledge.kb)
        self._last, self._preview = folder / LAST, folder / PREVIEW

    @property
    def running(self) -> bool:
        return self._running is not None and not self._running.done()

    @property
    def stopping(self) -> bool:
        return self.running and self._stop.is_set()

    def stop(self) -> bool:
        """Ask the run or preview to end after its batch, which changes nothing; whether one is under way here."""
        if self.running:
            self._stop.set()
        return self.running

    async def last(self) -> dict[str, Any] | None:
        """What the newest run told, wherever it ran; None where there was none."""
        return await asyncio.to_thread(_read, self._last)

    async def previewed(self) -> dict[str, Any] | None:
        """What the newest preview told, and of which `source`."""
        return await asyncio.to_thread(_read, self._preview)

    async def sources(self) -> list[Known]:
        """Raises SourceError."""
        return await asyncio.to_thread(known_sources, self._settings)

    def start(self, preview: str | None = None) -> bool:
        """Whether a run was begun: not while one is under way. `preview` is the source whose changes are only told."""
        if self.running:
            return False
        self._stop = asyncio.Event()
        self._running = asyncio.create_task(self._run() if preview is None else self._look(preview))
        return True

    async def watch(self) -> None:
        """Run as often as the settings say, counted from the newest run, for as long as the application runs."""
        while True:
            last = await self.last()
            due = (last or {}).get("finished", 0.0) + 60.0 * self.every_minutes
            if self._clock() >= due and await self._any() and self.start():
                assert self._running is not None  # noqa: S101 - it was begun
                await self._running
            await asyncio.sleep(min(LOOK_S, 60.0 * self.every_minutes))

    async def _any(self) -> bool:
        try:
            return any(one.active for one in await self.sources())
        except SourceError as error:
            log.warning("nothing is synced: %s", error)
            return False

    async def close(self) -> None:
        if self._running is not None:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)

    async def _run(self) -> None:
        status, _, errors = await self._sync()
        if self._stop.is_set():
            log.info("the sync was stopped at the desk")
            if status < 0:  # it has ended before it could tell
                told = {"kb": self._settings.knowledge.kb, "stopped": STOPPED, "finished": self._clock()}
                await asyncio.to_thread(_write, self._last, told)
        elif status:
            lines = errors.strip().splitlines()
            log.warning("the sync failed: %s", lines[-1] if lines else f"exit status {status}")

    async def _look(self, source: str) -> None:
        _, output, errors = await self._sync("--source", source, "--dry-run", "--json")
        try:
            told = json.loads(output.splitlines()[-1])
        except (IndexError, ValueError):
            if self._stop.is_set():
                errors = f"error: {STOPPED}"
            told = {"error": (errors.strip().splitlines() or ["no message"])[-1].removeprefix("error: ")}
        await asyncio.to_thread(_write, self._preview, {**told, "source": source, "finished": self._clock()})

    async def _sync(self, *options: str) -> tuple[int, str, str]:
        """Exit status, output and errors."""
        tenant = self._settings.storage.tenant
        of_tenant = () if tenant == OWN else ("--tenant", tenant)
        command = (sys.executable, "-m", "handrail", *of_tenant, "sync", "--kb", self._settings.knowledge.kb, *options)
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(*command, stdout=pipe, stderr=pipe)
        ending = asyncio.create_task(self._ended(process))
        try:
            output, errors = await process.communicate()
        except asyncio.CancelledError:
            await _end(process, LEAVING_S)
            raise
        finally:
            ending.cancel()
        return process.returncode or 0, output.decode(errors="replace"), errors.decode(errors="replace")

    async def _ended(self, process: asyncio.subprocess.Process) -> None:
        await self._stop.wait()
        await _end(process, PATIENCE_S)


async def _end(process: asyncio.subprocess.Process, patience_s: float) -> None:
    """What it has read is kept, and nothing half done is ever current, however it ends."""
    with suppress(ProcessLookupError):
        process.terminate()
        try:
            await asyncio.wait_for(process.wait(), patience_s)
        except TimeoutError:
            process.kill()
            await process.wait()


def _write(path: Path, told: dict[str, Any]) -> None:
    part = path.with_suffix(".part")
    path.parent.mkdir(parents=True, exist_ok=True)
    part.write_text(json.dumps(told, ensure_ascii=False), encoding="utf-8")
    part.replace(path)


def _read(path: Path) -> dict[str, Any] | None:
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return told if isinstance(told, dict) else None
