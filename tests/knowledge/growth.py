"""How work grows with what it is given."""

from __future__ import annotations

import time
from collections.abc import Callable

TRIES = 9
PLAIN = 6.0
"""Less is not the square: what remains is to keep noise from saying otherwise, which can only make work look slower."""


def growth(work: Callable[[int], Callable[[], object]], size: int) -> float:
    """How many times the work takes on four times the text: about 4 where it grows with it, 16 with its square.

    Both are measured in turn, twice at least, and the quickest of each counts: noise in one must not make the other
    look better.
    """
    small, large = work(size), work(4 * size)
    small()
    of_small = of_large = found = float("inf")
    for tried in range(TRIES):
        of_large, of_small = min(of_large, _once(large)), min(of_small, _once(small))
        found = of_large / max(of_small, 1e-3)
        if tried and found < PLAIN:
            break
    return found


def proportional(work: Callable[[int], Callable[[], object]], size: int) -> bool:
    """Whether four times the text takes less than eight times the work, in one try of a few."""
    small, large = work(size), work(4 * size)
    small()
    return any(_once(large) < 8 * max(_once(small), 1e-3) for _ in range(4))


def _once(work: Callable[[], object]) -> float:
    start = time.thread_time()
    work()
    return time.thread_time() - start
