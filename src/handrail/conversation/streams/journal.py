"""The events of one turn, kept so that whoever lost the connection can go on where it broke off."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from handrail.conversation.streams import Event


class Journal:
    """Written by one task, followed by any number of others of the same event loop."""

    def __init__(self) -> None:
        self._events: list[Event] = []
        self._news = asyncio.Event()
        self.over = False
        self.followers = 0

    def write(self, data: str) -> None:
        self._events.append(Event(len(self._events) + 1, data))
        self._wake()

    def close(self) -> None:
        self.over = True
        self._wake()

    def since(self, after: int) -> list[Event]:
        """Events numbered above `after`, so far."""
        return self._events[max(0, after) :]

    async def news(self, after: int) -> None:
        """Returns once there is an event above `after`, or the turn is over."""
        while len(self._events) <= after and not self.over:
            await self._news.wait()

    async def follow(self, after: int, idle_s: float) -> AsyncIterator[Event | None]:
        """See Followable."""
        self.followers += 1
        try:
            while True:
                for event in self.since(after):
                    after = event.number
                    yield event
                if self.over and after >= len(self._events):
                    return
                try:
                    async with asyncio.timeout(idle_s):
                        await self.news(after)
                except TimeoutError:
                    yield None
        finally:
            self.followers -= 1

    def _wake(self) -> None:
        self._news.set()
        self._news = asyncio.Event()
