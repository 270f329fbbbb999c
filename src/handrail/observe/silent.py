"""The tracer used when nothing is configured: gives ids, sends nothing."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from handrail.llm.generations import QuietSpan
from handrail.observe import TurnTrace
from handrail.types import Question, Turn


class SilentTrace:
    def __init__(self, trace_id: str) -> None:
        self.id = trace_id

    @contextmanager
    def stage(self, name: str) -> Iterator[QuietSpan]:
        yield QuietSpan()

    def finish(self, turn: Turn) -> None:
        return None


class SilentTracer:
    def __init__(self, new_id: Callable[[], str]) -> None:
        self._new_id = new_id

    @contextmanager
    def turn(self, question: Question) -> Iterator[TurnTrace]:
        yield SilentTrace(self._new_id())

    def close(self) -> None:
        return None
