"""Whole turns in this process, warm, one at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from eval.evaluators import question
from handrail.assembly import Assistant
from handrail.types import Routing, Turn

STATIC = frozenset({Routing.NONSENSE, Routing.IRRELEVANT})
ANSWERS = frozenset({Routing.ANSWERED, Routing.PARTIALLY_ANSWERED, Routing.LOW_CONFIDENCE})


@dataclass(frozen=True, slots=True)
class Timed:
    ms: float
    """Of the whole call, as its caller sees it."""
    turn: Turn


async def warm_up(assistant: Assistant, texts: Iterable[str]) -> None:
    for text in texts:
        await assistant.ask(question(text, assistant.settings))


async def timed_turns(
    assistant: Assistant,
    texts: Sequence[str],
    wanted: frozenset[Routing],
    at_most: int,
    into: list[Timed],
    advance: Callable[[], None],
) -> None:
    """Ask `texts` until `at_most` turns ended in a `wanted` routing; only those are put `into` the list."""
    for text in texts:
        if len(into) == at_most:
            return
        asked = question(text, assistant.settings)
        start = time.perf_counter()
        turn = await assistant.ask(asked)
        ms = (time.perf_counter() - start) * 1000
        if turn.outcome.routing in wanted:
            into.append(Timed(ms, turn))
            advance()
