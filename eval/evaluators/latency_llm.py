"""How long a turn with a language model takes, and how many calls: this product beside a chain of four calls.

Both run on the same questions, index and stand-in of a fixed speed, in turns. The chain is the usual one: the model
classifies, rewrites, answers and judges its answer, one call after the other.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from eval.benchmark import local
from eval.benchmark.standin import MODEL, StandIn, standing_in
from eval.benchmark.turns import ANSWERS
from eval.datasets.retrieval import RetrievalCase
from eval.evaluators import question
from eval.metrics.bootstrap import interval
from eval.metrics.timing import percentiles
from eval.runner import Evaluation, Job, failure
from handrail.assembly import Assistant
from handrail.settings import Settings, overlaid
from handrail.turn.watch import Nobody
from handrail.types import Routing

FIRST_MS, TOKEN_MS = 500.0, 20.0
"""Of the stand-in: about what a hosted model of middling size takes."""
TURNS = 40
WARM_UP = 3
ONE_CALL: dict[str, dict[str, Any]] = {"generate": {"answerer": "llm", "critique": "auto"}}
CHAIN: dict[str, dict[str, Any]] = {
    "generate": {"answerer": "llm", "critique": "llm"},
    "classify": {"mode": "llm"},
    "memory": {"rewrite": "llm"},
    "rewrite": {"llm": True},
}


@dataclass(slots=True)
class Timed:
    """Milliseconds from the question."""

    calls: int
    first: float | None
    """To the first words that a visitor sees."""
    complete: float
    routing: Routing


@dataclass(slots=True)
class Measured:
    """Of each question that both answered: this product, then the chain."""

    pairs: list[tuple[Timed, Timed]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


class FirstWords(Nobody):
    """A TurnWatch that notes when there is something to read."""

    def __init__(self) -> None:
        self.at: float | None = None

    async def draft(self, text: str) -> None:
        self.at = self.at or time.perf_counter()

    async def claim(self, id: str, text: str, indexes: Sequence[int]) -> None:
        self.at = self.at or time.perf_counter()


def with_model(settings: Settings, url: str, chosen: Mapping[str, Mapping[str, Any]]) -> Settings:
    """Everything local but the language model at `url`, which does what `chosen` gives it."""
    model: dict[str, Any] = {"base_url": url, "model": MODEL, "small_model": None, "api_key": None, "fallbacks": []}
    return overlaid(local(settings), {**chosen, "llm": model})


async def evaluate(job: Job[RetrievalCase]) -> Evaluation:
    measured, interrupted = Measured(), False
    with standing_in(FIRST_MS / 1000, TOKEN_MS / 1000) as model:
        try:
            await _both(job, model, measured)
        except asyncio.CancelledError:
            interrupted = True
    return Evaluation(
        metrics=metrics(measured),
        intervals=intervals(measured),
        rows=[
            {"id": f"turn-{number}", "ours": _row(ours), "chain": _row(chain)}
            for number, (ours, chain) in enumerate(measured.pairs, 1)
        ],
        interrupted=interrupted,
        conditions={"model": f"a stand-in: first token after {FIRST_MS:g} ms, then one every {TOKEN_MS:g} ms"},
        notes=[f"turns that failed: {error}" for error in dict.fromkeys(measured.errors)],
    )


async def _both(job: Job[RetrievalCase], model: StandIn, out: Measured) -> None:
    questions = list(dict.fromkeys(case.question for case in job.cases))
    enough = min(TURNS, job.limit or TURNS)
    ours = Assistant(with_model(job.settings, model.url, ONE_CALL))
    chain = Assistant(with_model(job.settings, model.url, CHAIN))
    try:
        await ours.start()
        await chain.start()
        for text in questions[:WARM_UP]:
            await ours.ask(question(text, ours.settings))
        advance = job.bars.phase("turns, each with one call and with four", min(enough, len(questions)))
        for text in questions[WARM_UP:] or questions:
            if len(out.pairs) == enough:
                return
            try:
                pair = await _timed(ours, model, text), await _timed(chain, model, text)
            except Exception as error:
                out.errors.append(failure(error))
                continue
            if all(one.routing in ANSWERS for one in pair):
                out.pairs.append(pair)
                advance()
    finally:
        await ours.stop()
        await chain.stop()


async def _timed(assistant: Assistant, model: StandIn, text: str) -> Timed:
    watch, before = FirstWords(), model.calls
    start = time.perf_counter()
    turn = await assistant.ask(question(text, assistant.settings), watch)
    complete = (time.perf_counter() - start) * 1000
    first = (watch.at - start) * 1000 if watch.at is not None else None
    return Timed(model.calls - before, first, complete, turn.outcome.routing)


def _row(timed: Timed) -> dict[str, Any]:
    first = round(timed.first, 1) if timed.first is not None else None
    return {
        "calls": timed.calls,
        "first_ms": first,
        "complete_ms": round(timed.complete, 1),
        "routing": timed.routing.value,
    }


def metrics(measured: Measured) -> dict[str, Any]:
    """`first_token_ratio` is against the model's own first token, `turn_ratio` against the chain; medians of turns."""
    ours, chain = [one for one, _ in measured.pairs], [other for _, other in measured.pairs]
    first, turn = _ratios(measured)
    return {
        "n": len(ours),
        "calls": _mean([one.calls for one in ours]),
        "chain_calls": _mean([one.calls for one in chain]),
        "first_token": percentiles([one.first for one in ours if one.first is not None]),
        "complete": percentiles([one.complete for one in ours]),
        "chain_complete": percentiles([one.complete for one in chain]),
        "first_token_ratio": _median(first),
        "turn_ratio": _median(turn),
    }


def intervals(measured: Measured) -> dict[str, Any]:
    first, turn = (np.asarray(values) for values in _ratios(measured))
    return {
        "first_token_ratio": interval(len(first), lambda at: float(np.median(first[at]))),
        "turn_ratio": interval(len(turn), lambda at: float(np.median(turn[at]))),
    }


def _ratios(measured: Measured) -> tuple[list[float], list[float]]:
    first = [one.first / FIRST_MS for one, _ in measured.pairs if one.first is not None]
    return first, [one.complete / other.complete for one, other in measured.pairs]


def _mean(values: Sequence[float]) -> float | None:
    return round(float(np.mean(values)), 2) if values else None


def _median(values: Sequence[float]) -> float | None:
    return round(float(np.median(values)), 3) if values else None
