"""Which label does the configured classifier give? Embedding and classifying only: nothing is looked up."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import Any

from eval.datasets.routing import RoutingCase
from eval.evaluators import NO_GOLD, question
from eval.metrics import routing as metrics
from eval.metrics.routing import Routed
from eval.metrics.timing import percentiles
from eval.runner import Done, Evaluation, Job
from handrail.assembly import build_parts, build_stages, new_trace_id
from handrail.errors import HandrailError
from handrail.observe.silent import SilentTracer
from handrail.pipeline import Stages
from handrail.types import Classification
from handrail.wording import load_wording


@dataclass(frozen=True, slots=True)
class Answer:
    classification: Classification
    ms: float


RESULT = Answer


async def measure(job: Job[RoutingCase]) -> Done[RoutingCase, Answer]:
    settings = job.settings
    parts = await asyncio.to_thread(build_parts, settings)
    try:
        stages = build_stages(settings, parts, load_wording(settings.brand.name), SilentTracer(new_trace_id))
        await stages.retriever.probe("warm up")

        async def work(case: RoutingCase) -> Answer:
            return await _classify(stages, case.text, job)

        return await job.each("routing", work)
    finally:
        parts.close()


def score(done: Done[RoutingCase, Answer]) -> Evaluation:
    routed = [
        Routed(case.label, answer.classification.label, answer.classification.probability)
        for case, answer in done.measured
        if case.label is not None
    ]
    times = [answer.ms for _, answer in done.measured]
    return Evaluation(
        metrics={**metrics.score(routed), "p50_ms": percentiles(times)["p50_ms"]},
        details={"confusion": metrics.confusion(routed), "p95_ms": percentiles(times)["p95_ms"]},
        intervals=metrics.intervals(routed),
        rows=done.rows(_row),
        interrupted=done.interrupted,
    )


async def _classify(stages: Stages, text: str, job: Job[RoutingCase]) -> Answer:
    """As the pipeline does it, the fallback included."""
    asked = question(text, job.settings)
    start = time.perf_counter()
    probe = await stages.retriever.probe(asked.text)
    try:
        found = await stages.classifier.classify(asked, probe)
    except HandrailError:
        found = await stages.fallback_classifier.classify(asked, probe)
    return Answer(found, (time.perf_counter() - start) * 1000)


def _row(case: RoutingCase, answer: Answer) -> dict[str, Any]:
    found = answer.classification
    row: dict[str, Any] = {
        "label": case.label,
        "predicted": found.label.value,
        "correct": None if case.label is None else found.label == case.label,
        "probability": round(found.probability, 4),
        "by": found.by,
        "ms": round(answer.ms, 2),
    }
    if case.label is None:
        row["not_applicable"] = NO_GOLD
    return row
