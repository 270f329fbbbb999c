"""Ending a run between two of its steps when it is asked to, so that nothing is left half done."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from handrail.errors import HandrailError


class Stopped(HandrailError):
    """Somebody has stopped the run; the message says what stays."""


class Stop:
    def __init__(self) -> None:
        self._asked = threading.Event()

    def ask(self) -> None:
        self._asked.set()

    def check(self) -> None:
        """To be called between two steps. Raises Stopped."""
        if self._asked.is_set():
            raise Stopped(
                "stopped. The knowledge base stays as it was; what has been read and encoded is kept for the next run"
            )


@contextmanager
def stoppable() -> Iterator[Stop]:
    """SIGTERM asks the run to stop; a second one ends it as it does other processes."""
    stop = Stop()

    def asked(number: int, frame: FrameType | None) -> None:
        stop.ask()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)

    before = signal.signal(signal.SIGTERM, asked)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGTERM, before)
