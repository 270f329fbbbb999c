"""How fast it is on this machine: a benchmark, not a test. Nothing is judged, and no LLM is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from eval.benchmark import LOCAL, local
from eval.benchmark.following import Streams
from eval.benchmark.index import Indexing, ingest_apart
from eval.benchmark.server import serving
from eval.benchmark.turns import ANSWERS, STATIC, Turns, ask_until, warm_up
from eval.benchmark.verifying import verified
from eval.benchmark.visitors import TURNS_EACH, Load
from eval.datasets import SAMPLE, load
from eval.datasets.claims import CLAIMS
from eval.datasets.retrieval import RetrievalCase
from eval.datasets.routing import ROUTING
from eval.metrics.timing import by_stage, percentiles
from eval.runner import Evaluation, Job
from handrail.assembly import Assistant
from handrail.cli.ingest import sample_folder
from handrail.settings import Settings
from handrail.types import Label

STATIC_TURNS = 120
ANSWERED_TURNS = 100
ENOUGH_ANSWERED = 60
"""Fewer make a poor 95th percentile; a note says so."""
PASSES = 5
"""Chit-chat may be asked again: nothing about it is remembered. Questions are all different."""
WARM_UP_TURNS = 10
STREAMED = 80
VERIFIED = 80
IN_OTHER_WORDS = SAMPLE / "claims.dev.jsonl"


@dataclass(slots=True)
class Measured:
    """Filled phase by phase; what an interruption left out stays None."""

    static: Turns = field(default_factory=Turns)
    answered: Turns = field(default_factory=Turns)
    verified_ms: list[float] = field(default_factory=list)
    streams: Streams = field(default_factory=Streams)
    load: Load | None = None
    rss_mb: float | None = None
    start_s: float | None = None
    ingest: Indexing | None = None


async def evaluate(job: Job[RetrievalCase]) -> Evaluation:
    settings = local(job.settings)
    questions = list(dict.fromkeys(case.question for case in job.cases))
    measured = Measured()
    interrupted = False
    try:
        await _in_process(settings, questions, job, measured)
        await _verification(settings, job, measured)
        await _over_http(settings, questions, job, measured)
        await _ingest(settings, job, measured)
    except asyncio.CancelledError:
        interrupted = True
    return Evaluation(
        metrics=metrics(measured),
        details={"ingest": dict(measured.ingest)} if measured.ingest else {},
        rows=_rows(measured),
        interrupted=interrupted,
        conditions={"settings": LOCAL, "limits": "off", "pauses_between_turns_s": 0},
        notes=_notes(measured, 0 if interrupted else min(ENOUGH_ANSWERED, job.limit or ENOUGH_ANSWERED)),
    )


async def _in_process(settings: Settings, questions: Sequence[str], job: Job[RetrievalCase], out: Measured) -> None:
    chatter = [
        case.text for case in load(ROUTING, ROUTING.default).cases if case.label in (Label.NONSENSE, Label.IRRELEVANT)
    ]
    assistant = Assistant(settings)
    try:
        await assistant.start()
        await warm_up(assistant, [*questions[:WARM_UP_TURNS], *chatter[:WARM_UP_TURNS]])
        static, answered = (min(most, job.limit or most) for most in (STATIC_TURNS, ANSWERED_TURNS))
        asked = job.bars.phase("static replies", static)
        await ask_until(assistant, chatter * PASSES, STATIC, static, out.static, asked)
        asked = job.bars.phase("answered turns", min(answered, len(questions)))
        await ask_until(assistant, questions, ANSWERS, answered, out.answered, asked)
    finally:
        await assistant.stop()


async def _verification(settings: Settings, job: Job[RetrievalCase], out: Measured) -> None:
    wanted = min(VERIFIED, job.limit or VERIFIED)
    cases = load(CLAIMS, IN_OTHER_WORDS).cases
    await verified(settings, cases, wanted, out.verified_ms, job.bars.phase("claims in other words", wanted))


async def _over_http(settings: Settings, questions: Sequence[str], job: Job[RetrievalCase], out: Measured) -> None:
    ready = job.bars.phase("server start", 1)
    async with serving(settings) as server:
        ready()
        out.start_s = round(server.start_s, 2)
        streamed = min(STREAMED, job.limit or STREAMED)
        followed = job.bars.phase("streamed answers", min(streamed, len(questions)))
        await out.streams.run(server.url, questions, streamed, followed, warm_up=min(2, len(questions) - 1))
        out.load = Load(turns_each=min(TURNS_EACH, job.limit or TURNS_EACH))
        asked = job.bars.phase(f"{out.load.visitors} visitors", out.load.visitors * out.load.turns_each)
        await out.load.run(server.url, questions, asked)
        out.rss_mb = round(server.rss_mb(), 1)


async def _ingest(settings: Settings, job: Job[RetrievalCase], out: Measured) -> None:
    finished = job.bars.phase("ingest", 1)
    out.ingest = await ingest_apart(settings, sample_folder())
    finished()


def metrics(measured: Measured) -> dict[str, Any]:
    """Milliseconds and MiB; None for what was not measured."""
    load = measured.load or Load()
    return {
        "static": percentiles(measured.static.milliseconds) | {"n": len(measured.static.timed)},
        "turn": percentiles(measured.answered.milliseconds)
        | {"n": len(measured.answered.timed), "cpu_s": _mean([item.cpu_s for item in measured.answered.timed])},
        "stages": by_stage([item.turn.latency_ms for item in measured.answered.timed]),
        "stream": measured.streams.metrics(),
        "verification": percentiles(measured.verified_ms) | {"n": len(measured.verified_ms)},
        f"concurrent{load.visitors}": load.metrics(),
        "rss_mb": measured.rss_mb,
        "start_s": measured.start_s,
    }


def _mean(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), 3) if values else None


def _rows(measured: Measured) -> list[dict[str, Any]]:
    rows = []
    for phase, turns in (("static", measured.static), ("turn", measured.answered)):
        for number, item in enumerate(turns.timed, 1):
            stages = {name: ms for name, ms in item.turn.latency_ms.items() if name != "total"}
            routing = item.turn.outcome.routing.value
            rows.append({"id": f"{phase}-{number}", "routing": routing, "ms": round(item.ms, 2), "stages": stages})
    return rows


def _notes(measured: Measured, enough: int) -> list[str]:
    load = measured.load.errors if measured.load else []
    failed = (measured.static.errors, measured.answered.errors, measured.streams.errors, load)
    seen = dict.fromkeys(error for errors in failed for error in errors)
    notes = [f"turns that failed: {error}" for error in seen]
    answered = len(measured.answered.timed)
    if answered < enough:
        notes.append(
            f"only {answered} questions ended in an answer, and {enough} make a fair 95th percentile: "
            "see which refuse with `handrail ask`, or give a larger --file"
        )
    return notes
