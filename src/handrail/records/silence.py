"""A server that fell silent is left alone for a while, so that not everybody waits for it in turn."""

from __future__ import annotations

import time
from collections.abc import Callable

PAUSE_S = 2.0
"""Between two tries while it is silent."""
LATE_S = 1.5
"""Where somebody was answered since, it isn't the server that is slow."""


class Silence:
    """Known to all who share a server; `clock` returns seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, pause_s: float = PAUSE_S) -> None:
        self._clock = clock
        self._pause_s = pause_s
        self._silent = False
        self._again_at = 0.0
        self._heard_at = float("-inf")

    def may_try(self) -> bool:
        """Always, until somebody waited in vain; then for one every `pause_s` seconds."""
        if not self._silent:
            return True
        now = self._clock()
        if now < self._again_at:
            return False
        self._again_at = now + self._pause_s
        return True

    def waited_in_vain(self) -> None:
        now = self._clock()
        if now - self._heard_at > LATE_S:
            self._silent, self._again_at = True, now + self._pause_s

    def answered(self) -> None:
        self._silent, self._heard_at = False, self._clock()
