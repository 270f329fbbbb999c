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
from handrail.assembly import Parts, build_parts, build_stages, new_trace_id
from handrail.courtesies import without_courtesies
from handrail.errors import HandrailError
from handrail.observe.silent import SilentTracer
from handrail.sentences import parts
from handrail.stages import Stages
from handrail.types import Classification
from handrail.wording import load_wording


@dataclass(frozen=True, slots=True)
class Answer:
    classification: Classification
    ms: float
    beyond_ms: float | None = None
    """What it takes longer than its embeddings alone: how near the articles are, what is heard beside, the head."""


RESULT = Answer
LONG = 600
"""Characters from which a message counts as long."""


async def measure(job: Job[RoutingCase]) -> Done[RoutingCase, Answer]:
    settings = job.settings
    built = await asyncio.to_thread(build_parts, settings)
    try:
        stages = build_stages(settings, built, load_wording(settings.brand.name), SilentTracer(new_trace_id))
        await _classify(stages, built, "warm up", job)

        async def work(case: RoutingCase) -> Answer:
            return await _classify(stages, built, case.text, job)

        return await job.each("routing", work)
    finally:
        built.close()


def score(done: Done[RoutingCase, Answer]) -> Evaluation:
    routed = [
        Routed(case.label, answer.classification.label, answer.classification.probability)
        for case, answer in done.measured
        if case.label is not None
    ]
    times = [answer.ms for _, answer in done.measured]
    return Evaluation(
        metrics={**metrics.score(routed), "p50_ms": percentiles(times)["p50_ms"]},
        details={
            "confusion": metrics.confusion(routed),
            "p95_ms": percentiles(times)["p95_ms"],
            "beyond_embedding": percentiles(_beyond(done, 0)),
            "beyond_embedding_long": percentiles(_beyond(done, LONG)),
        },
        intervals=metrics.intervals(routed),
        rows=done.rows(_row),
        interrupted=done.interrupted,
    )


def _beyond(done: Done[RoutingCase, Answer], characters: int) -> list[float]:
    """Of messages of so many characters and more."""
    return [
        answer.beyond_ms
        for case, answer in done.measured
        if answer.beyond_ms is not None and len(case.text) >= characters
    ]


READS_SENTENCES = ("local", "cascade")
"""Where the local head asks for the sentences' embeddings, too."""


async def _classify(stages: Stages, built: Parts, text: str, job: Job[RoutingCase]) -> Answer:
    """As the pipeline does it, the fallback included; then the embeddings alone, as texts that are not remembered."""
    asked = question(text, job.settings)
    start = time.perf_counter()
    probe = await stages.retriever.probe(asked.text)
    try:
        found = await stages.classifier.classify(asked, probe)
    except HandrailError:
        found = await stages.fallback_classifier.classify(asked, probe)
    taken = time.perf_counter() - start
    plain = without_courtesies(asked.text)
    sentences = parts(plain) if job.settings.classify.mode in READS_SENTENCES else []
    start = time.perf_counter()
    for texts in ([plain], sentences):
        if texts:
            await built.embed.submit([f"{of} " for of in texts])
    embedding = time.perf_counter() - start
    return Answer(found, taken * 1000, (taken - embedding) * 1000)


def _row(case: RoutingCase, answer: Answer) -> dict[str, Any]:
    found = answer.classification
    row: dict[str, Any] = {
        "label": case.label,
        "predicted": found.label.value,
        "correct": None if case.label is None else found.label == case.label,
        "probability": round(found.probability, 4),
        "by": found.by,
        "ms": round(answer.ms, 2),
        "beyond_ms": None if answer.beyond_ms is None else round(answer.beyond_ms, 2),
    }
    if case.label is None:
        row["not_applicable"] = NO_GOLD
    return row
