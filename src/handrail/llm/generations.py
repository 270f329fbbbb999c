"""Calls of an LLM as seen by whoever observes the turn.

It stands outside `observe` because stages call it, and stages know nothing of tracers.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from handrail.llm.prompts import RenderedPrompt


class Span(Protocol):
    def record(self, **values: Any) -> None:
        """Attach values to the span.

        `input`, `output`, `input_tokens`, `output_tokens`, `cached_tokens` and `cost_usd` have a place of their own in
        a trace; anything else is shown as metadata. Values are read after the turn, so they must not be changed
        afterwards.
        """
        ...


class GenerationObserver(Protocol):
    def generation(self, name: str, model: str, prompt: RenderedPrompt) -> AbstractContextManager[Span]: ...

    def step(self, name: str) -> AbstractContextManager[Span]: ...


class QuietSpan:
    """Takes everything, keeps nothing."""

    def record(self, **values: Any) -> None:
        return None


current_observer: ContextVar[GenerationObserver | None] = ContextVar("handrail_generation_observer", default=None)
"""Set by a tracer around each stage; follows tasks started inside."""

_QUIET = nullcontext(QuietSpan())


def generation(name: str, model: str, prompt: RenderedPrompt) -> AbstractContextManager[Span]:
    """A span around one LLM call with its retries, nested in the stage that makes it; costs nothing when untraced.

    pydantic-ai can emit OpenTelemetry spans by itself. They are not used: they link no Langfuse prompt version, hang
    on whichever tracer provider is global to the process, know nothing of the configured prices, and export messages
    that were not redacted.
    """
    observer = current_observer.get()
    return observer.generation(name, model, prompt) if observer is not None else _QUIET


def step(name: str) -> AbstractContextManager[Span]:
    """A span around anything else that a stage does, such as asking a decision model; costs nothing when untraced."""
    observer = current_observer.get()
    return observer.step(name) if observer is not None else _QUIET
