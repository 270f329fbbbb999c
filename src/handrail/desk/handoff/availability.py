"""Is anybody there? Hours and presence together, and what visitors may expect."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Protocol

from handrail.desk.handoff.hours import Hours, hours_settings, load_hours
from handrail.desk.handoff.waits import Wait, Waited, expected
from handrail.errors import HandrailError
from handrail.settings import Settings
from handrail.types.people import NOBODY, Availability, People

log = logging.getLogger("handrail.people")

WAITS_FOR_S = 60.0
"""Seconds the expected wait is reused."""
WAIT_DAYS = 28
"""Days whose first responses the expected wait is taken from."""
WAIT_LEAST = 10
"""Hand-offs around this hour of the day below which no wait is named."""


class Presence(Protocol):
    """Who is at the desk, for one tenant."""

    async def anybody(self) -> bool:
        """Whether an agent is at the desk right now."""
        ...


class Waits(Protocol):
    """Recent hand-offs of one tenant."""

    async def since(self, moment: float) -> Sequence[tuple[float, float | None]]:
        """When each was queued, and when it was first answered; None where it was not."""
        ...


class Rota:
    """Says who is there for one tenant. `clock` returns seconds since the epoch."""

    def __init__(
        self,
        settings: Settings,
        clock: Callable[[], float],
        presence: Presence | None = None,
        waits: Waits | None = None,
        tenant: str = "default",
    ) -> None:
        """Raises SettingsError for hours that make no sense. Without `presence` the hours alone decide."""
        self._on = settings.brand.person_available
        self._settings = hours_settings(settings.hours, tenant)
        self.hours: Hours = load_hours(settings.hours, tenant)
        self._clock = clock
        self._presence = presence if self._settings.presence else None
        self._waits = waits
        self._wait: Wait | None = None
        self._wait_until = float("-inf")

    async def people(self) -> People:
        """Never raises: where presence cannot be told, nobody is there."""
        if not self._on:
            return NOBODY
        now = self._clock()
        as_of = datetime.fromtimestamp(now, self.hours.zone)
        if not self.hours.open_at(now):
            opens = self.hours.next_opening(now)
            return People(Availability.CLOSED, as_of, opens, away_text=self._settings.away_text)
        if not await self._somebody():
            return People(Availability.AWAY, as_of, away_text=self._settings.away_text)
        wait = await self._expected(now)
        return People(
            Availability.ON, as_of, wait_s=wait.median_s if wait else None, wait_most_s=wait.most_s if wait else None
        )

    async def _somebody(self) -> bool:
        if self._presence is None:
            return True
        try:
            return await self._presence.anybody()
        except HandrailError as error:
            log.warning("can't read presence, so visitors are told that nobody is there: %s", error)
            return False

    async def _expected(self, now: float) -> Wait | None:
        if self._waits is None:
            return None
        if now >= self._wait_until:
            try:
                found = await self._waits.since(now - WAIT_DAYS * 86_400)
            except HandrailError as error:
                log.warning("can't read recent waits: %s", error)
                return None
            waited = [
                Waited(self.hours.hour_of(queued), None if answered is None else max(0.0, answered - queued))
                for queued, answered in found
            ]
            self._wait = expected(waited, self.hours.hour_of(now), WAIT_LEAST)
            self._wait_until = now + WAITS_FOR_S
        return self._wait
