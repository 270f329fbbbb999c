"""Two sides that measure the same rows, one after the other: what drifts between two rows drifts for both."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

SIDES = 2


class Order:
    """Side 0 begins the first row, side 1 the second: whoever comes first may warm a provider's cache for the other."""

    def __init__(self) -> None:
        self._next = 0
        self._changed = asyncio.Condition()

    @asynccontextmanager
    async def step(self, number: int) -> AsyncIterator[None]:
        async with self._changed:
            await self._changed.wait_for(lambda: self._next == number)
        try:
            yield
        finally:
            async with self._changed:
                self._next += 1
                self._changed.notify_all()


class Turns:
    """Those of one side."""

    def __init__(self, order: Order, side: int) -> None:
        self._order = order
        self._side = side

    @asynccontextmanager
    async def row(self, number: int) -> AsyncIterator[None]:
        """Held while this side measures row `number`, counted from 0; every side must take every row."""
        place = self._side if number % 2 == 0 else SIDES - 1 - self._side
        async with self._order.step(number * SIDES + place):
            yield
