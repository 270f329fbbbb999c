"""Traces of turns. Observing never breaks a turn: every implementation swallows its own failures."""

from contextlib import AbstractContextManager
from typing import Any, Protocol

from handrail.types import Question, Turn


class Span(Protocol):
    def record(self, **values: Any) -> None:
        """Attach values (output, scores, counts) to the span."""
        ...


class TurnTrace(Protocol):
    id: str
    """32 hexadecimal digits, returned to the caller as `trace_id`."""

    def stage(self, name: str) -> AbstractContextManager[Span]:
        """A span around one stage; LLM generations made inside nest below it."""
        ...

    def finish(self, turn: Turn) -> None: ...


class Tracer(Protocol):
    def turn(self, question: Question) -> AbstractContextManager[TurnTrace]: ...

    def close(self) -> None:
        """Send what is queued, within a few seconds."""
        ...
