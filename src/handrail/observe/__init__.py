"""Traces of turns. Observing never breaks a turn: every implementation swallows its own failures."""

from contextlib import AbstractContextManager
from typing import Protocol

from handrail.llm.generations import Span
from handrail.types import Question, Turn

__all__ = ["Span", "Tracer", "TurnTrace"]


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
