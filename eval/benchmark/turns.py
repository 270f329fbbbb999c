"""Whole turns in this process, warm, one at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from eval.evaluators import question
from eval.runner import failure
from handrail.assembly import Assistant
from handrail.types import Routing, Turn

STATIC = frozenset({Routing.NONSENSE, Routing.IRRELEVANT})
ANSWERS = frozenset({Routing.ANSWERED, Routing.PARTIALLY_ANSWERED, Routing.LOW_CONFIDENCE})


@dataclass(frozen=True, slots=True)
class Timed:
    ms: float
    """Of the whole call, as its caller sees it."""
    cpu_s: float
    """Processor time of this process for it, over all threads."""
    turn: Turn


@dataclass(slots=True)
class Turns:
    """Readable at any time, so that an interruption keeps what was measured."""

    timed: list[Timed] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    @property
    def milliseconds(self) -> list[float]:
        return [item.ms for item in self.timed]


async def warm_up(assistant: Assistant, texts: Iterable[str]) -> None:
    for text in texts:
        await assistant.ask(question(text, assistant.settings))


async def ask_until(
    assistant: Assistant,
    texts: Sequence[str],
    wanted: frozenset[Routing],
    enough: int,
    turns: Turns,
    advance: Callable[[], None],
) -> None:
    """Ask `texts` until `enough` turns ended in a `wanted` routing; only those are timed."""
    for text in texts:
        if len(turns.timed) == enough:
            return
        asked = question(text, assistant.settings)
        start, cpu = time.perf_counter(), time.process_time()
        try:
            turn = await assistant.ask(asked)
        except Exception as error:
            turns.errors.append(failure(error))
            continue
        ms = (time.perf_counter() - start) * 1000
        cpu_s = time.process_time() - cpu
        if turn.outcome.routing in wanted:
            turns.timed.append(Timed(ms, cpu_s, turn))
            advance()
