"""Which label is a message given, before anything is looked up? Understanding alone, as a turn does it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from eval.companies import Assistant, Assistants
from eval.datasets.routing import RoutingCase
from eval.evaluators import NO_GOLD, question
from eval.metrics import routing as metrics
from eval.metrics.routing import Routed
from eval.metrics.timing import percentiles
from eval.runner import Done, Evaluation, Job
from handrail.errors import HandrailError
from handrail.text.courtesies import without_courtesies
from handrail.text.sentences import parts
from handrail.turn import replies
from handrail.types import Classification, Label, Question, Understanding
from handrail.understand.cut import pieces


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
    assistants = Assistants(job.settings, job.companies)
    try:

        async def work(case: RoutingCase) -> Answer:
            return await _classify(await assistants.of(case.company), case.text)

        await _classify(await assistants.of(None), "warm up")
        # The rows of one company follow each other, so that its models are loaded once.
        ordered = sorted(job.cases, key=lambda case: case.company or "")
        return await replace(job, cases=ordered).each("routing", work)
    finally:
        assistants.close()


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
            **_parts(done),
            "beyond_embedding": _beyond(done, lambda case: True),
            "beyond_embedding_long": _beyond(done, lambda case: len(case.text) >= LONG),
            "beyond_embedding_english": _beyond(done, lambda case: case.lang == "en"),
            "beyond_embedding_foreign": _beyond(done, lambda case: case.lang not in (None, "en")),
        },
        intervals=metrics.intervals(routed),
        rows=sorted(done.rows(_row), key=lambda row: row["line"]),
        interrupted=done.interrupted,
    )


def _parts(done: Done[RoutingCase, Answer]) -> dict[str, Any]:
    """Rows right, of how many, by company and for messages that the file says are not English."""
    right: dict[str, list[bool]] = {}
    for case, answer in done.measured:
        if case.label is None:
            continue
        places = [f"company {case.company}"] if case.company else []
        places += ["not English"] if case.lang not in (None, "en") else []
        for place in places:
            right.setdefault(place, []).append(answer.classification.label == case.label)
    told = {place: f"{sum(found)} of {len(found)}" for place, found in sorted(right.items())}
    return {"right": told} if told else {}


def _beyond(done: Done[RoutingCase, Answer], of: Callable[[RoutingCase], bool]) -> dict[str, Any]:
    times = [answer.beyond_ms for case, answer in done.measured if answer.beyond_ms is not None and of(case)]
    return {**percentiles(times), "n": len(times)}


def together(rows: Sequence[dict[str, Any]]) -> Evaluation:
    """The stored rows of several files as those of one."""
    told = [row for row in rows if row.get("label") is not None and "predicted" in row]
    routed = [Routed(row["label"], row["predicted"], row["probability"]) for row in told]
    return Evaluation(metrics=metrics.score(routed), intervals=metrics.intervals(routed), rows=list(rows))


READS_SENTENCES = ("local", "cascade")
"""Where the local head asks for the sentences' embeddings, too."""


async def _classify(assistant: Assistant, text: str) -> Answer:
    """As a turn does it, the spare included; then the embeddings alone, as texts that are not remembered."""
    settings = assistant.settings
    asked = question(text, settings)
    start = time.perf_counter()
    found = label_of(await _understood(assistant, asked), asked, assistant)
    taken = time.perf_counter() - start
    plain, cut = without_courtesies(asked.text), pieces(asked.text, asked.lang)
    sentences = parts(plain) if settings.classify.mode in READS_SENTENCES else []
    start = time.perf_counter()
    for texts in ([plain], sentences, cut if len(cut) > 1 else []):
        if texts:
            await assistant.built.embed.submit([f"{of} " for of in texts])
    embedding = time.perf_counter() - start
    return Answer(found, taken * 1000, (taken - embedding) * 1000)


async def _understood(assistant: Assistant, asked: Question) -> Understanding:
    stage = assistant.stages.understand
    try:
        return await stage.primary.read(asked)
    except HandrailError:
        if stage.spare is None:
            raise
        return await stage.spare.read(asked)


def label_of(understood: Understanding, asked: Question, assistant: Assistant) -> Classification:
    """Of the gravest request; of a crisis and of a courtesy, what a turn counts it as."""
    if understood.crisis:
        return Classification(Label.HIGH_STAKES, 0.99, "local", rule=replies.CRISIS)
    fixed = replies.courtesy(understood, asked, assistant.wording, assistant.settings.brand.topics)
    if fixed is not None:
        return replies.classified(understood, fixed)
    labels = [request.senses[0].classification for request in understood.requests]
    return next((found for found in labels if found.label is Label.HIGH_STAKES), labels[0])


def _row(case: RoutingCase, answer: Answer) -> dict[str, Any]:
    found = answer.classification
    row: dict[str, Any] = {
        "label": case.label,
        "predicted": found.label.value,
        "correct": None if case.label is None else found.label == case.label,
        "probability": round(found.probability, 4),
        "probabilities": {label.value: round(share, 4) for label, share in found.probabilities.items()},
        "by": found.by,
        "ms": round(answer.ms, 2),
        "beyond_ms": None if answer.beyond_ms is None else round(answer.beyond_ms, 2),
    }
    if case.label is None:
        row["not_applicable"] = NO_GOLD
    return row
