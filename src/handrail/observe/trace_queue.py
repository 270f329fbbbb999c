"""Traces on their way to a store: a bounded queue, written in the background."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable

from handrail.observe.notice import Notice
from handrail.observe.record import TurnRecord
from handrail.observe.trace import Trace, document

logger = logging.getLogger(__name__)

MOST = 200
"""Turns that may wait: more come only while the store is away or hangs."""


class TraceQueue:
    """A Sink for turns of one event loop. What cannot be written is lost, counted, and said once."""

    def __init__(self, save: Callable[[Trace], Awaitable[object]], most: int = MOST) -> None:
        self.lost = 0
        self._save = save
        self._most = most
        self._waiting: deque[TurnRecord] = deque()
        self._writing: asyncio.Task[None] | None = None
        self._notice = Notice(logger, "the store of traces")

    def take(self, record: TurnRecord) -> None:
        if len(self._waiting) >= self._most:
            self._lose("is too slow")
            return
        self._waiting.append(record)
        if self._writing is None or self._writing.done():
            self._writing = asyncio.get_running_loop().create_task(self._write())

    def __len__(self) -> int:
        """Turns that wait to be written."""
        return len(self._waiting)

    async def finish(self) -> None:
        """Write what waits, once no more turns come."""
        if self._writing is not None:
            await self._writing
        if self.lost:
            logger.warning("%d traces were not stored", self.lost)

    def close(self) -> None:
        """Called from another thread, where nothing can be written: see `finish`."""

    async def _write(self) -> None:
        while self._waiting:
            record = self._waiting.popleft()
            try:
                await self._save(await asyncio.to_thread(document, record))
            except Exception as error:
                # The name only: a message may quote what a visitor wrote.
                self._lose(f"took no trace ({type(error).__name__})")
            else:
                self._notice.worked()

    def _lose(self, problem: str) -> None:
        self.lost += 1
        self._notice.failed(problem, "traces are lost meanwhile, turns go on")
