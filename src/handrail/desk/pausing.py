"""Whether the assistant is paused, asked at each question."""

from __future__ import annotations

import logging

from handrail.records import RecordsUnavailable
from handrail.records.pauses import Pauses

log = logging.getLogger("handrail.turns")

PAUSED, RESUMED = "pause_assistant", "resume_assistant"
"""Actions of the audit log."""


class Pausing:
    """What the records say at the moment: a pause holds in every process that shares them, and after a restart.

    Each process logs a change once, when it first notices.
    """

    def __init__(self, pauses: Pauses) -> None:
        self._pauses = pauses
        self._noticed = False

    async def paused(self) -> bool:
        """Never raises: while the records are away, it stays as this process knew it last."""
        try:
            paused = await self._pauses.current() is not None
        except RecordsUnavailable:
            return self._noticed
        if paused != self._noticed:
            self._noticed = paused
            log.warning("the assistant is paused" if paused else "the assistant is no longer paused")
        return paused
