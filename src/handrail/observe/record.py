"""A turn as it is remembered while it runs: a tree of spans in memory, made into a trace afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from handrail.llm.generations import current_observer
from handrail.types import Question, Turn

if TYPE_CHECKING:
    from handrail.llm.prompts import RenderedPrompt


@dataclass(slots=True)
class SpanRecord:
    """One stage or LLM call. Times are nanoseconds since 1970."""

    name: str
    start_ns: int
    end_ns: int | None = None
    """None while it is open."""
    values: dict[str, Any] = field(default_factory=dict)
    children: list[SpanRecord] = field(default_factory=list)
    model: str | None = None
    """Set for LLM calls only."""
    prompt: RenderedPrompt | None = None
    error: str | None = None

    def record(self, **values: Any) -> None:
        self.values.update(values)


class TurnRecord:
    """A TurnTrace that only remembers; `clock` returns nanoseconds since 1970."""

    def __init__(
        self, trace_id: str, question: Question, clock: Callable[[], int], about: Mapping[str, str] | None = None
    ) -> None:
        self.id = trace_id
        self.question = question
        self.about = dict(about or {})
        """What answered, such as the knowledge base and its version."""
        self.turn: Turn | None = None
        """None when the turn was cancelled or failed."""
        self.root = SpanRecord("turn", clock())
        self._clock = clock

    @contextmanager
    def running(self) -> Iterator[None]:
        """The whole turn: LLM calls outside any stage belong to it directly."""
        with self._within(self.root):
            yield

    def stage(self, name: str) -> AbstractContextManager[SpanRecord]:
        scope = current_observer.get()
        parent = scope.span if isinstance(scope, _Scope) and scope.turn is self else self.root
        return self.open(parent, name)

    @contextmanager
    def open(
        self, parent: SpanRecord, name: str, model: str | None = None, prompt: RenderedPrompt | None = None
    ) -> Iterator[SpanRecord]:
        span = SpanRecord(name, self._clock(), model=model, prompt=prompt)
        parent.children.append(span)
        with self._within(span):
            yield span

    def finish(self, turn: Turn) -> None:
        self.turn = turn

    @contextmanager
    def _within(self, span: SpanRecord) -> Iterator[None]:
        before = current_observer.get()
        current_observer.set(_Scope(self, span))
        try:
            yield
        except BaseException as error:
            span.error = f"{type(error).__name__}: {error}"
            raise
        finally:
            span.end_ns = self._clock()
            # Not reset by token: a streamed turn may be closed from another context, where a token is refused.
            current_observer.set(before)


@dataclass(frozen=True, slots=True)
class _Scope:
    """The span that LLM calls made now belong below."""

    turn: TurnRecord
    span: SpanRecord

    def generation(self, name: str, model: str, prompt: RenderedPrompt) -> AbstractContextManager[SpanRecord]:
        return self.turn.open(self.span, name, model, prompt)

    def step(self, name: str) -> AbstractContextManager[SpanRecord]:
        return self.turn.open(self.span, name)
