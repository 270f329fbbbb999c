"""Takes letters out of the outbox and delivers them."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from handrail.desk.outbox import Channel, Notification, Undeliverable, Undelivered
from handrail.records import RecordsUnavailable
from handrail.records.outbox import OutboxRecords
from handrail.settings import Alerts

log = logging.getLogger("handrail.outbox")

AT_ONCE = 8
LEASE_MARGIN_S = 30.0
"""A claim outlives the longest delivery by this much, so that nobody else sends what is still being sent."""
LONGEST_ASKED_S = 3600.0
PURGE_EVERY_S = 3600.0


def pause(attempts: int, settings: Alerts, spread: Callable[[], float]) -> float:
    """Seconds before the next try: doubled each time, bounded, and shortened at random so that tries spread out."""
    longest = min(settings.backoff_most_s, settings.backoff_s * 2.0 ** min(attempts - 1, 40))
    return longest * (0.5 + 0.5 * spread())


class OutboxWorker:
    """Several may run, in one process or in many: a letter is claimed before it is sent."""

    def __init__(
        self,
        records: OutboxRecords,
        channels: Mapping[str, Channel],
        settings: Alerts,
        clock: Callable[[], float],
        spread: Callable[[], float] = random.random,
    ) -> None:
        """`clock` returns seconds since the epoch; `spread` a number in [0, 1)."""
        self._records = records
        self._channels = channels
        self._settings = settings
        self._clock = clock
        self._spread = spread

    async def run(self) -> None:
        """Deliver what is due, for as long as the application runs."""
        purged = float("-inf")
        while True:
            try:
                while await self.once():
                    pass
                if self._clock() - purged >= PURGE_EVERY_S:
                    purged = self._clock()
                    await self._records.purge(purged - self._settings.keep_days * 86_400)
            except RecordsUnavailable as error:
                log.warning("%s; messages wait", error)
            await asyncio.sleep(self._settings.poll_s)

    async def once(self) -> int:
        """Deliver what is due now; returns how many were tried."""
        lease_s = self._settings.timeout_s + LEASE_MARGIN_S
        claim, notifications = await self._records.claim(self._clock(), lease_s, AT_ONCE)
        await asyncio.gather(*(self._deliver(notification, claim) for notification in notifications))
        return len(notifications)

    async def _deliver(self, notification: Notification, claim: str) -> None:
        try:
            channel = self._channels.get(notification.channel)
            if channel is None:
                raise Undeliverable(f"the channel {notification.channel!r} is not set up in [alerts]")
            async with asyncio.timeout(self._settings.timeout_s):
                await channel.send(notification, partial(self._remember, notification.id, claim))
        except Undeliverable as error:
            await self._give_up(notification, claim, str(error))
        except TimeoutError:
            await self._later(notification, claim, f"no answer within {self._settings.timeout_s:g} s", None)
        except Undelivered as error:
            await self._later(notification, claim, str(error), error.after_s)
        except Exception as error:
            log.exception("message %s: an error in the channel %s", notification.id, notification.channel)
            await self._later(notification, claim, f"{type(error).__name__} in the channel", None)
        else:
            await self._records.delivered(notification.id, claim, self._clock())

    async def _remember(self, id_: str, claim: str, progress: Mapping[str, Any]) -> None:
        if not await self._records.note(id_, claim, progress):
            raise Undelivered("another process has taken over the message")

    async def _later(self, notification: Notification, claim: str, why: str, asked_s: float | None) -> None:
        if notification.attempts >= self._settings.attempts:
            await self._give_up(notification, claim, why)
            return
        wait = max(pause(notification.attempts, self._settings, self._spread), min(asked_s or 0.0, LONGEST_ASKED_S))
        log.warning(
            "message %s to %s: %s; attempt %d in %.0f s",
            notification.id,
            notification.target,
            why,
            notification.attempts + 1,
            wait,
        )
        await self._records.failed(notification.id, claim, why, self._clock() + wait)

    async def _give_up(self, notification: Notification, claim: str, why: str) -> None:
        log.error(
            "message %s to %s is set aside after %d attempts: %s",
            notification.id,
            notification.target,
            notification.attempts,
            why,
        )
        await self._records.failed(notification.id, claim, why, None)
