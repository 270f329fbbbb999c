"""Whose lines of the log they are: ids that follow the tasks and threads that a request or a turn starts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType

NAMES = ("request_id", "trace_id", "turn_id")
"""None of them tells who somebody is."""

_ids: ContextVar[Mapping[str, str]] = ContextVar("handrail_log_ids", default=MappingProxyType({}))


@contextmanager
def logged_as(**ids: str) -> Iterator[None]:
    """What is logged inside carries these ids, besides those it carries already."""
    before = _ids.get()
    _ids.set({**before, **ids})
    try:
        yield
    finally:
        # Not reset by token: a streamed turn may be closed from another context, where a token is refused.
        _ids.set(before)


def log_ids() -> Mapping[str, str]:
    """Those of the request and the turn at hand, by the names above."""
    return _ids.get()
