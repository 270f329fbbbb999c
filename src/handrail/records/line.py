"""Waiting in line for the one writer of a SQLite database, with people's business before questions."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Line:
    """One at a time, in the order of coming; those who come `first` go before all others that wait.

    For tasks of one event loop. Fairer and quicker than to poll for the database's lock.
    """

    def __init__(self, patience_s: float) -> None:
        self._patience_s = patience_s
        self._taken = False
        self._waiting: tuple[deque[asyncio.Future[None]], deque[asyncio.Future[None]]] = (deque(), deque())

    @asynccontextmanager
    async def turn(self, *, first: bool) -> AsyncIterator[None]:
        """Raises TimeoutError for whoever has waited too long."""
        if self._taken:
            await self._wait(self._waiting[0 if first else 1])
        self._taken = True
        try:
            yield
        finally:
            self._next()

    def __len__(self) -> int:
        """Those who wait."""
        return sum(map(len, self._waiting))

    async def _wait(self, line: deque[asyncio.Future[None]]) -> None:
        mine = asyncio.get_running_loop().create_future()
        line.append(mine)
        try:
            async with asyncio.timeout(self._patience_s):
                await mine
        except BaseException:
            if mine.done() and not mine.cancelled():
                self._next()  # it was our turn just as we gave up
            elif mine in line:
                line.remove(mine)
            raise

    def _next(self) -> None:
        """The turn goes to the next who still waits, without being free in between."""
        for line in self._waiting:
            while line:
                waiting = line.popleft()
                if not waiting.done():
                    waiting.set_result(None)
                    return
        self._taken = False
