"""What one turn spends on LLM calls, whichever stages make them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from handrail.types import Usage


class Meter:
    """Adds up usage; failed calls count too, since they are billed."""

    def __init__(self) -> None:
        self.usage = Usage()

    def add(self, usage: Usage) -> None:
        self.usage = Usage(
            self.usage.input_tokens + usage.input_tokens,
            self.usage.output_tokens + usage.output_tokens,
            self.usage.cost_usd + usage.cost_usd,
        )


_current: ContextVar[Meter | None] = ContextVar("handrail_llm_meter", default=None)


@contextmanager
def metering() -> Iterator[Meter]:
    """Everything asked of a model inside, also in tasks started inside, is added to the meter."""
    meter = Meter()
    token = _current.set(meter)
    try:
        yield meter
    finally:
        _current.reset(token)


def spend(usage: Usage) -> None:
    """Add to the meter of the turn at hand, if there is one."""
    meter = _current.get()
    if meter is not None:
        meter.add(usage)
