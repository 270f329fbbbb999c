"""Who is there: agents at the desk, visitors with their chat open."""

from __future__ import annotations

from collections.abc import Callable

from handrail.desk.handoff.live import DESK, Event, Hub

AGENT = "agent:"
AWAY_AFTER_S = 40.0
"""Longer than two signs of life apart."""


class Presence:
    """Heard from all processes through the hub, kept by none: whoever stops giving a sign of life is away."""

    def __init__(self, hub: Hub, clock: Callable[[], float]) -> None:
        self._hub = hub
        self._clock = clock
        self._seen: dict[str, float] = {}
        self._away: set[str] = set()
        hub.on_event(self._on_event)

    def is_here(self, who: str) -> bool:
        return self._seen.get(who, 0.0) > self._clock() - AWAY_AFTER_S

    async def anybody(self) -> bool:
        """Whether an agent is at the desk."""
        return any(who.startswith(AGENT) and self.is_here(who) for who in self._seen)

    def stays_away(self, who: str) -> bool:
        """Whether they have said so, though their page is open."""
        return who in self._away

    async def here(self, who: str, **about: str) -> None:
        """A sign of life; the desk hears of it when it is news, other processes always."""
        await self._say(who, True, about)

    async def gone(self, who: str, **about: str) -> None:
        await self._say(who, False, about)

    async def _say(self, who: str, online: bool, about: dict[str, str]) -> None:
        await self._hub.publish(DESK, {"type": "presence", "who": who, "online": online, **about})

    def _on_event(self, _topic: str, event: Event) -> None:
        if event["type"] != "presence":
            return
        if "chosen" in event:
            (self._away.discard if event["online"] else self._away.add)(event["who"])
        if event["online"]:
            self._seen[event["who"]] = self._clock()
        else:
            self._seen.pop(event["who"], None)
