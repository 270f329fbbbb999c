"""Keeps a turn safe from its tracer: whatever tracing raises is logged once and goes no further."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, TypeVar
from uuid import uuid4

from handrail.llm.generations import QuietSpan, Span
from handrail.observe import Tracer, TurnTrace
from handrail.observe.notice import Notice
from handrail.observe.silent import SilentTrace
from handrail.types import Question, Turn

T = TypeVar("T")

logger = logging.getLogger(__name__)


class ShieldedTracer:
    """A Tracer around another; where that one fails, a turn still has an id and spans that take everything."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer
        self._shield = _Shield()

    @contextmanager
    def turn(self, question: Question) -> Iterator[TurnTrace]:
        def spare() -> TurnTrace:
            return SilentTrace(uuid4().hex)

        with self._shield.around(lambda: self._tracer.turn(question), spare) as trace:
            yield _ShieldedTrace(trace, self._shield)

    def close(self) -> None:
        self._shield.run(self._tracer.close)


class _ShieldedTrace:
    def __init__(self, trace: TurnTrace, shield: _Shield) -> None:
        self.id = trace.id
        self._trace = trace
        self._shield = shield

    @contextmanager
    def stage(self, name: str) -> Iterator[Span]:
        with self._shield.around(lambda: self._trace.stage(name), QuietSpan) as span:
            yield _ShieldedSpan(span, self._shield)

    def finish(self, turn: Turn) -> None:
        self._shield.run(lambda: self._trace.finish(turn))


class _ShieldedSpan:
    def __init__(self, span: Span, shield: _Shield) -> None:
        self._span = span
        self._shield = shield

    def record(self, **values: Any) -> None:
        self._shield.run(lambda: self._span.record(**values))


class _Shield:
    def __init__(self) -> None:
        self._notice = Notice(logger, "the tracer")

    def run(self, work: Callable[[], object]) -> None:
        try:
            work()
        except Exception as error:
            self._failed(error)

    @contextmanager
    def around(self, begin: Callable[[], AbstractContextManager[T]], spare: Callable[[], T]) -> Iterator[T]:
        """The manager's value, or a spare one. The manager sees what the body raises but cannot swallow it."""
        manager: AbstractContextManager[T] | None = None
        try:
            manager = begin()
            value = manager.__enter__()
        except Exception as error:
            self._failed(error)
            manager, value = None, spare()
        try:
            yield value
        except BaseException as error:
            self._leave(manager, error)
            raise
        self._leave(manager, None)

    def _leave(self, manager: AbstractContextManager[T] | None, raised: BaseException | None) -> None:
        if manager is None:
            return
        try:
            manager.__exit__(type(raised) if raised else None, raised, raised.__traceback__ if raised else None)
        except Exception as error:
            if error is not raised:
                self._failed(error)

    def _failed(self, error: Exception) -> None:
        # The name only: a message may quote what a visitor wrote.
        self._notice.failed(f"failed ({type(error).__name__})", "turns go on without their traces")
