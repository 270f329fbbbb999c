"""Going on without Redis where that is the lesser harm."""

from __future__ import annotations

import logging

from handrail.accounts.limits import Allowed, Denied, Limiter, LimitsUnavailable

log = logging.getLogger(__name__)


class SpareLimiter:
    """Counts in `shared`; in `spare` while that is away, which is said once in the log."""

    def __init__(self, shared: Limiter, spare: Limiter) -> None:
        self._shared = shared
        self._spare = spare
        self._away = False

    async def hit(self, visitor: str | None) -> Allowed | Denied:
        try:
            verdict = await self._shared.hit(visitor)
        except LimitsUnavailable as error:
            if not self._away:
                log.warning("%s; each process counts on its own until they are back", error)
            self._away = True
            return await self._spare.hit(visitor)
        self._away = False
        return verdict

    async def give_back(self, visitor: str | None) -> None:
        try:
            await (self._spare if self._away else self._shared).give_back(visitor)
        except LimitsUnavailable as error:
            log.warning("%s; a request that came to nothing stays counted", error)
