"""The tracer that remembers each turn once and hands it to everything that keeps traces."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Protocol

from handrail.observe.notice import Notice
from handrail.observe.record import TurnRecord
from handrail.types import Question

logger = logging.getLogger(__name__)


class Sink(Protocol):
    """Where traces go."""

    def take(self, record: TurnRecord) -> None:
        """A turn that has ended. Called on the turn's own path: put it in a queue and return."""
        ...

    def close(self) -> None:
        """Send what is queued, within a few seconds."""
        ...


class Recorder:
    """A Tracer. One recording serves all sinks; one that fails keeps a turn from none of the others."""

    def __init__(
        self,
        new_id: Callable[[], str],
        sinks: Sequence[Sink],
        about: Callable[[], Mapping[str, str]] = dict,
        clock: Callable[[], int] = time.time_ns,
    ) -> None:
        """`new_id` gives 32 hexadecimal digits, `about` what answers at the moment, `clock` nanoseconds since 1970."""
        self._new_id = new_id
        self._sinks = sinks
        self._about = about
        self._clock = clock
        self._notice = Notice(logger, "something that keeps traces")

    @contextmanager
    def turn(self, question: Question) -> Iterator[TurnRecord]:
        record = TurnRecord(self._new_id(), question, self._clock, self._about())
        try:
            with record.running():
                yield record
        finally:
            for sink in self._sinks:
                self._give(sink, record)

    def close(self) -> None:
        for sink in self._sinks:
            sink.close()

    def _give(self, sink: Sink, record: TurnRecord) -> None:
        try:
            sink.take(record)
        except Exception as error:
            # The name only: a message may quote what a visitor wrote.
            self._notice.failed(f"failed ({type(error).__name__})", "turns go on without their traces")
