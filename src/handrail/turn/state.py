"""A turn while it is worked on: what every step of the pipeline reads and adds to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Mapping
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import TypeVar

from handrail.errors import HandrailError, RetryableError
from handrail.llm.deadline import until
from handrail.llm.generations import Span
from handrail.llm.kinds import Failure, because
from handrail.llm.meter import Meter
from handrail.observe import TurnTrace
from handrail.turn.showing import Showing
from handrail.turn.stopwatch import Stopwatch
from handrail.turn.watch import TurnWatch
from handrail.turn.wording import Wording
from handrail.types import Classification, Label, Outcome, Question, Request, Turn, Understanding

UNREAD = Understanding((), Request("", ()))
UNDECIDED = Classification(Label.ANSWERABLE, 0.0, "rule")

SMALL_SHARE = 1 / 4
"""Of the time left in a turn, what classifying or rewriting may take before the turn goes on without its provider."""
LARGE_SHARE = 2 / 3
"""The same for answering and for the critique."""

STAGE = {"high_stakes": "answer", "standalone": "understand", "decompose": "understand"}
"""The stage that asks for a task, where the two differ in name."""

T = TypeVar("T")

_under_way: ContextVar[dict[str, str] | None] = ContextVar("handrail_turn_without", default=None)


def without(part: str) -> None:
    """Note for the turn at hand, if there is one, that it goes on without `part`: for what has a spare of its own."""
    noted = _under_way.get()
    if noted is not None:
        noted.setdefault(part, HandrailError.reason)


def _noted() -> dict[str, str]:
    """Where the turn that begins here, and what it asks in tasks of its own, notes what it goes on without."""
    noted: dict[str, str] = {}
    _under_way.set(noted)
    return noted


@dataclass(slots=True)
class TurnInFlight:
    """One turn's question, its observers, its time, and what is known so far."""

    question: Question
    """As it was written, with what is known of its writer by now."""
    wording: Wording
    """The product's own words in the visitor's language."""
    trace: TurnTrace
    laps: Stopwatch
    watch: TurnWatch
    showing: Showing
    """What the visitor has been shown of the answer."""
    ends: float
    """When the turn's time is over, by the event loop's clock."""
    understood: Understanding = UNREAD
    classification: Classification = UNDECIDED
    standalone: str = ""
    """What is answered: the message with what it takes over from the conversation."""
    provider: str = "static"
    model: str | None = None
    cached: bool = False
    """Whether the answer was written for an earlier turn."""
    retrieved: int = 0
    degraded: dict[str, str] = field(default_factory=_noted)
    """What the turn went on without, in order, and why: `rewrite`, `verify`, `answer` …; `assistant` when nothing was
    left."""

    @property
    def asked(self) -> Question:
        """The question as it stands alone."""
        return replace(self.question, text=self.standalone or self.question.text)

    @asynccontextmanager
    async def stage(self, name: str) -> AsyncIterator[Span]:
        """A stage that is watched, traced and timed under one name."""
        await self.watch.stage(name)
        with self.trace.stage(name) as span, self.laps.lap(name):
            yield span

    async def in_time(self, work: Awaitable[T], share: float) -> T:
        """`work` within its share of the time left, so that a hanging provider never costs the whole turn.

        Raises RetryableError when that is over.
        """
        now = asyncio.get_running_loop().time()
        spare = (self.ends - now) * share
        try:
            # Not `wait_for`: before Python 3.12 it may lose a cancellation that comes as the work ends.
            with until(now + spare):
                async with asyncio.timeout(spare):
                    return await work
        except TimeoutError:
            late = RetryableError("a provider took longer than its share of the turn")
            raise because(late, Failure.LATE) from None

    def go_on_without(self, part: str, reason: str = HandrailError.reason) -> None:
        """Note that `part` failed and something simpler takes its place."""
        self.degraded.setdefault(part, reason)

    def note_failed(self, tasks: Mapping[str, str]) -> None:
        """Note the stages that asked a language model in vain and went on by themselves, with the reason by task.

        Labels are part of understanding, so they are not named beside it.
        """
        for task, reason in tasks.items():
            if not (task == "classify" and "understand" in self.degraded):
                self.go_on_without(STAGE.get(task, task), reason)

    def finished(self, result: Outcome, meter: Meter) -> Turn:
        """The turn as it is handed on, with what it cost."""
        return Turn(
            question=self.question,
            outcome=result,
            classification=self.classification,
            trace_id=self.trace.id,
            provider=self.provider,
            model=self.model,
            retrieved=self.retrieved,
            latency_ms=self.laps.laps(),
            usage=meter.usage,
            usage_by_model=dict(meter.by_model),
            attempts=tuple(meter.attempts),
            degraded=tuple(self.degraded),
            reasons=dict(self.degraded),
            standalone=self.asked.text,
            cached=self.cached and result.answers,
        )
