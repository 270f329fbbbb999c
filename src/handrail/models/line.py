"""Who is worked for next: what somebody waits for comes before what nobody does, and nothing waits for ever."""

from __future__ import annotations

import heapq
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Generic, TypeVar

T = TypeVar("T")

PATIENCE_S = 1.0
"""How much longer than a visitor's work that of nobody may wait."""

unhurried: ContextVar[bool] = ContextVar("handrail_unhurried", default=False)
"""Whether nobody waits for what is asked of the models; follows tasks started inside."""


@contextmanager
def nobody_waits() -> Iterator[None]:
    """What is asked of the local models meanwhile lets the questions of visitors go first."""
    token = unhurried.set(True)
    try:
        yield
    finally:
        unhurried.reset(token)


class Line(Generic[T]):
    """Jobs by the time they are due; several threads may put and one takes."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` returns seconds."""
        self._clock = clock
        self._heap: list[tuple[float, int, bool, T | None]] = []
        self._put = 0
        self._news = threading.Condition()

    def put(self, job: T, *, later: bool = False) -> None:
        """`later`: what came up to PATIENCE_S afterwards and is not goes first."""
        self._add(self._clock() + (PATIENCE_S if later else 0.0), later, job)

    def end(self) -> None:
        """Behind everything else, whenever that was put."""
        self._add(float("inf"), False, None)

    def take(self) -> T | None:
        """The next job, once there is one; None at the end."""
        with self._news:
            while not self._heap:
                self._news.wait()
            return heapq.heappop(self._heap)[3]

    def take_now(self) -> T | None:
        """The next job, where there is one already and it was not put for later; None otherwise."""
        with self._news:
            if not self._heap or self._heap[0][2] or self._heap[0][3] is None:
                return None
            return heapq.heappop(self._heap)[3]

    def _add(self, due: float, later: bool, job: T | None) -> None:
        with self._news:
            self._put += 1
            heapq.heappush(self._heap, (due, self._put, later, job))
            self._news.notify()
