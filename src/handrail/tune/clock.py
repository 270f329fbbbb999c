"""Time an operator gave, and who is told how far things are."""

from __future__ import annotations

from collections.abc import Callable

Say = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""


class Clock:
    """Says when the time the operator gave is over."""

    def __init__(self, now: Callable[[], float], seconds: float) -> None:
        self._now = now
        self._end = now() + seconds
        self._seconds = seconds

    def left(self) -> float:
        """Share of the time that is left, from 1 to 0."""
        return max(0.0, (self._end - self._now()) / self._seconds)
