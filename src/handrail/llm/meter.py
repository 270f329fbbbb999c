"""What one turn spends on LLM calls, whichever stages make them, and the bounds it must keep."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from handrail.errors import BudgetExhausted
from handrail.types.usage import Attempt, Usage


@dataclass(frozen=True, slots=True)
class Bounds:
    """The most one turn may take; 0 is no bound."""

    requests: int = 0
    tokens: int = 0
    cost_usd: float = 0.0


class Meter:
    """Adds up usage; failed calls count too, since they are billed."""

    def __init__(self, bounds: Bounds, around: Meter | None = None) -> None:
        self._bounds = bounds
        self._around = around
        self.usage = Usage()
        self.by_model: dict[str, Usage] = {}
        self.requests = 0
        self.attempts: list[Attempt] = []
        self.failed: dict[str, str] = {}
        """Tasks that no provider did, with the reason."""

    def add(self, usage: Usage, requests: int = 0, model: str | None = None) -> None:
        if self._around is not None:
            self._around.add(usage, requests, model)
        self.requests += requests
        self.usage += usage
        if model is not None:
            self.by_model[model] = self.by_model.get(model, Usage()) + usage

    def note(self, attempt: Attempt) -> None:
        if self._around is not None:
            self._around.note(attempt)
        self.attempts.append(attempt)

    def left(self) -> Bounds:
        """What remains; 0 where there is no bound. Raises BudgetExhausted when something is used up."""
        bounds, spent = self._bounds, self.usage
        tokens = spent.input_tokens + spent.output_tokens
        used_up = (
            (bounds.requests and self.requests >= bounds.requests)
            or (bounds.tokens and tokens >= bounds.tokens)
            or (bounds.cost_usd and spent.cost_usd >= bounds.cost_usd)
        )
        if used_up:
            raise BudgetExhausted("the turn has reached its LLM limits (llm.turn_max_…)")
        return Bounds(
            bounds.requests - self.requests if bounds.requests else 0,
            bounds.tokens - tokens if bounds.tokens else 0,
            bounds.cost_usd,
        )


_current: ContextVar[Meter | None] = ContextVar("handrail_llm_meter", default=None)


@contextmanager
def metering(bounds: Bounds | None = None) -> Iterator[Meter]:
    """Everything asked of a model inside, also in tasks started inside, is added to the meter and to those around it.

    Only the innermost meter's bounds are kept.
    """
    meter = Meter(bounds or Bounds(), _current.get())
    token = _current.set(meter)
    try:
        yield meter
    finally:
        _current.reset(token)


def spend(usage: Usage, model: str, requests: int = 0) -> None:
    """Add what `model` took to the meter of the turn at hand, if there is one; `requests` beyond those reserved."""
    meter = _current.get()
    if meter is not None:
        meter.add(usage, requests, model)


def note(attempt: Attempt) -> None:
    """Say how a call went, to the turn at hand, if there is one."""
    meter = _current.get()
    if meter is not None:
        meter.note(attempt)


def gave_up(task: str, reason: str) -> None:
    """Say that no provider did a task, to the turn at hand, if there is one."""
    meter = _current.get()
    if meter is not None:
        meter.failed[task] = reason


def reserve() -> Bounds:
    """Count a request that is about to be made, so that those made beside it know of it.

    What the turn at hand may still spend, this request included. Raises BudgetExhausted when that is nothing.
    """
    meter = _current.get()
    if meter is None:
        return Bounds()
    left = meter.left()
    meter.add(Usage(), 1)
    return left
