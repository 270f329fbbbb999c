"""A circuit breaker: a provider that keeps failing is left alone for a while, so turns degrade at once."""

from __future__ import annotations

from collections.abc import Callable

from handrail.errors import RetryableError
from handrail.llm.kinds import Failure


class LeftAlone(RetryableError):
    """The provider failed so often that it is not asked for a while."""

    reason = Failure.SKIPPED.value


class Breaker:
    """Opens after `threshold` failures in a row; after `pause_s` one call is let through to try.

    `clock` returns seconds, as `time.monotonic` does. A `threshold` of 0 never opens.
    """

    def __init__(self, threshold: int, pause_s: float, clock: Callable[[], float]) -> None:
        self._threshold = threshold
        self._pause_s = pause_s
        self._clock = clock
        self._failures = 0
        self._closed_again_at = 0.0

    def check(self, host: str) -> None:
        """Raises LeftAlone while open."""
        if not self._threshold or self._failures < self._threshold:
            return
        wait = self._closed_again_at - self._clock()
        if wait > 0:
            raise LeftAlone(f"{host} failed {self._failures} times in a row. It is tried again in {wait:.0f} s")
        self._closed_again_at = self._clock() + self._pause_s

    def succeeded(self) -> None:
        self._failures = 0

    def failed(self) -> None:
        self._failures += 1
        self._closed_again_at = self._clock() + self._pause_s
