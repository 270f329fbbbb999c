"""Whatever tracing does, the visitor gets an answer."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest

from handrail.errors import RetryableError
from handrail.observe.silent import SilentTrace
from handrail.types import Question, Routing, Turn
from tests.stages import Retrieves, ask, engine, stages

pytestmark = pytest.mark.anyio

MOMENTS = ["turn", "turn end", "stage", "stage end", "record", "finish"]


class TracingError(Exception):
    """Not one of ours: a tracer may raise anything."""


class BrokenTracer:
    """Fails at one moment of every turn."""

    def __init__(self, moment: str) -> None:
        self.moment = moment

    def at(self, moment: str) -> None:
        if moment == self.moment:
            raise TracingError("the visitor wrote: my card is 4111")

    @contextmanager
    def turn(self, question: Question) -> Iterator[_BrokenTrace]:
        self.at("turn")
        yield _BrokenTrace(self)
        self.at("turn end")

    def close(self) -> None:
        return None


class _BrokenTrace:
    def __init__(self, tracer: BrokenTracer) -> None:
        self.id = "f" * 32
        self._tracer = tracer

    @contextmanager
    def stage(self, name: str) -> Iterator[_BrokenSpan]:
        self._tracer.at("stage")
        try:
            yield _BrokenSpan(self._tracer)
        finally:
            self._tracer.at("stage end")

    def finish(self, turn: Turn) -> None:
        self._tracer.at("finish")


class _BrokenSpan:
    def __init__(self, tracer: BrokenTracer) -> None:
        self._tracer = tracer

    def record(self, **values: Any) -> None:
        self._tracer.at("record")


class GreedyTracer:
    """Swallows what stages raise, which is not a tracer's to do."""

    def turn(self, question: Question) -> AbstractContextManager[SilentTrace]:
        return _Swallows()

    def close(self) -> None:
        return None


class _Swallows(AbstractContextManager[SilentTrace]):
    def __enter__(self) -> SilentTrace:
        return SilentTrace("f" * 32)

    def __exit__(self, *exception: object) -> bool:
        return True


@pytest.mark.parametrize("moment", MOMENTS)
async def test_a_failing_tracer_never_breaks_a_turn(moment: str, caplog: pytest.LogCaptureFixture) -> None:
    turn = await engine(stages(tracer=BrokenTracer(moment))).run(ask())

    assert turn.outcome.routing is Routing.ANSWERED
    assert len(turn.trace_id) == 32
    [warning] = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert "TracingError" in warning
    assert "4111" not in warning


@pytest.mark.parametrize("moment", MOMENTS)
async def test_a_failing_tracer_does_not_hide_what_a_stage_raised(moment: str) -> None:
    chosen = stages(tracer=BrokenTracer(moment), retriever=Retrieves(RetryableError("away")))

    turn = await engine(chosen).run(ask())

    assert turn.outcome.routing is Routing.UNAVAILABLE


async def test_a_tracer_cannot_swallow_an_error() -> None:
    chosen = stages(tracer=GreedyTracer(), retriever=Retrieves(ValueError("a defect")))

    with pytest.raises(ValueError, match="a defect"):
        await engine(chosen).run(ask())
