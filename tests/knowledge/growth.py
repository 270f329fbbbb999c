"""How work grows with what it is given."""

from __future__ import annotations

import time
from collections.abc import Callable


def seconds(work: Callable[[], object]) -> float:
    """CPU time of the quickest of three tries."""
    best = float("inf")
    for _ in range(3):
        start = time.thread_time()
        work()
        best = min(best, time.thread_time() - start)
    return best


def growth(work: Callable[[int], Callable[[], object]], size: int) -> float:
    """How many times the work takes on four times the text: about 4 where it grows with it, 16 with its square.

    Both are measured in turn, and the quickest of each counts: noise in one must not make the other look better.
    """
    small, large = work(size), work(4 * size)
    small()
    measured = [(seconds(large), seconds(small)) for _ in range(3)]
    return min(of_large for of_large, _ in measured) / max(min(of_small for _, of_small in measured), 1e-3)


def proportional(work: Callable[[int], Callable[[], object]], size: int) -> bool:
    """Whether four times the text takes less than eight times the work, in one try of a few."""
    small, large = work(size), work(4 * size)
    small()
    return any(_once(large) < 8 * max(_once(small), 1e-3) for _ in range(4))


def _once(work: Callable[[], object]) -> float:
    start = time.thread_time()
    work()
    return time.thread_time() - start
