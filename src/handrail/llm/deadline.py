"""When the stage at hand must be over, for parts below it that have to split the time among several tries."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_ends: ContextVar[float | None] = ContextVar("handrail_stage_ends", default=None)


@contextmanager
def until(ends: float) -> Iterator[None]:
    """Everything inside, also in tasks started inside, has until `ends` by the event loop's clock."""
    token = _ends.set(ends)
    try:
        yield
    finally:
        _ends.reset(token)


def seconds_left() -> float | None:
    """Seconds until the stage must be over; None outside a stage."""
    ends = _ends.get()
    return None if ends is None else max(0.0, ends - asyncio.get_running_loop().time())
