"""Does a last message, read with its conversation, find what it would find when asked in full?

Earlier messages are whole turns of the product; of the last one, what it is read as and what that finds.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from eval.datasets.conversation import ConversationCase
from eval.evaluators import question
from eval.evaluators.bench import known_articles
from eval.evaluators.retrieval import DEEP, deep, ranking
from eval.metrics.bootstrap import mean_interval
from eval.runner import Done, Evaluation, Job
from handrail.assembly import Parts, build_parts, build_stages, new_trace_id
from handrail.classify import Classifier
from handrail.converse.window import exchange_of, latest
from handrail.observe.silent import SilentTracer
from handrail.outcome import STATIC
from handrail.pipeline import Pipeline, Stages
from handrail.reading import label_of_follow_up, understood
from handrail.retrieve import Retriever
from handrail.settings import Settings
from handrail.types import Exchange, Question, Reading
from handrail.wording import load_wording

TOP = 5
SCORES = ("overlap@5", "hit@5_last", "hit@5_standalone", "same_order@5", "turned_away_last")


@dataclass(frozen=True, slots=True)
class Read:
    text: str
    """What the last message was read as."""
    kind: str
    label: str
    found: tuple[str, ...]
    """Articles the last message finds, best first."""
    needed: tuple[str, ...]
    """Articles its standalone form finds."""
    gold: tuple[str, ...]


RESULT = Read


async def measure(job: Job[ConversationCase]) -> Done[ConversationCase, Read]:
    parts = await asyncio.to_thread(build_parts, job.settings)
    wording = load_wording(job.settings.brand.name)
    stages = await asyncio.to_thread(build_stages, job.settings, parts, wording, SilentTracer(new_trace_id))
    try:
        loop = asyncio.get_running_loop()
        pipeline = Pipeline(stages, job.settings, wording, loop.time)
        measured = parts.retriever(deep(job.settings))
        articles = known_articles(parts)

        async def work(case: ConversationCase) -> Read:
            history = await _history(case, pipeline, parts, job.settings)
            last = replace(question(case.turns[-1].text, job.settings), history=history)
            reading, label = await _read(last, stages)
            needed = await measured.retrieve(question(case.last_needs, job.settings).text, {})
            gold = tuple(articles.resolve(name) or name for name in case.article_ids)
            found = await _found(reading, measured)
            return Read(reading.text, reading.kind, label, found, tuple(ranking(needed))[:TOP], gold)

        return await job.each("conversation", work)
    finally:
        if stages.closing is not None:
            await stages.closing()
        parts.close()


def score(done: Done[ConversationCase, Read]) -> Evaluation:
    scores = {case.line: _scores(case, read) for case, read in done.measured}
    kinds = defaultdict(list)
    for case, _ in done.measured:
        kinds[case.kind or "other"].append(scores[case.line])
    everything = list(scores.values())
    means = _means(everything)
    beside: dict[str, Any] = {name: means.pop(name) for name in ("same_order@5", "turned_away_last") if name in means}
    return Evaluation(
        metrics={
            "n": len(everything),
            **means,
            "by_kind": {kind: {"n": len(rows), **_means(rows)} for kind, rows in sorted(kinds.items())},
        },
        details=beside,
        intervals={name: mean_interval(_column(everything, name)) for name in means},
        rows=done.rows(
            lambda case, read: {
                "kind": case.kind,
                "read_as": read.text,
                "reading": read.kind,
                "label": read.label,
                "found": list(read.found),
                "needed": list(read.needed),
                "gold": list(read.gold),
                **scores[case.line],
            }
        ),
        interrupted=done.interrupted,
        conditions={"retrieval": DEEP},
    )


async def _history(
    case: ConversationCase, pipeline: Pipeline, parts: Parts, settings: Settings
) -> tuple[Exchange, ...]:
    """What the memory holds before the last message, each earlier message answered by the product itself."""
    exchanges: list[Exchange] = []
    window = settings.memory.window_tokens
    for said in case.turns[:-1]:
        if said.role == "assistant":
            if exchanges and exchanges[-1].answer:
                exchanges[-1] = replace(exchanges[-1], answer=said.text)
            continue
        asked = replace(question(said.text, settings), history=latest(exchanges, window, parts.count))
        exchange = exchange_of(await pipeline.run(asked))
        if exchange is not None:
            exchanges.append(exchange)
    return latest(exchanges, window, parts.count)


async def _read(last: Question, stages: Stages) -> tuple[Reading, str]:
    """The last message as it is understood, and the label that gives it."""
    probe = await stages.retriever.probe(last.text)
    if stages.reader is None or not last.history:
        reading = Reading(last.text)
    else:
        reading = await stages.reader.read(last, probe)
    asked = understood(last, reading)
    label = await stages.classifier.classify(asked, await stages.retriever.probe(asked.text))
    if reading.depends:
        alone: Classifier = stages.fallback_classifier
        label = label_of_follow_up(await alone.classify(last, probe), label, reading, last)
    return reading, label.label.value


async def _found(reading: Reading, retriever: Retriever) -> tuple[str, ...]:
    evidence = await retriever.retrieve(reading.text, {}, None, reading if reading.depends else None)
    return tuple(ranking(evidence))[:TOP]


def _scores(case: ConversationCase, read: Read) -> dict[str, float]:
    shared = len(set(read.found) & set(read.needed)) / len(read.needed) if read.needed else 0.0
    turned_away = read.label in {label.value for label in STATIC}
    scores = {
        "overlap@5": shared,
        "same_order@5": float(read.found == read.needed),
        "turned_away_last": float(turned_away),
    }
    if case.article_ids:
        scores["hit@5_last"] = float(bool(set(read.found) & set(read.gold)))
        scores["hit@5_standalone"] = float(bool(set(read.needed) & set(read.gold)))
    return scores


def _means(rows: Sequence[dict[str, float]]) -> dict[str, float]:
    columns = {name: _column(rows, name) for name in SCORES}
    return {name: float(column.mean()) for name, column in columns.items() if len(column)}


def _column(rows: Sequence[dict[str, float]], name: str) -> Any:
    return np.asarray([row[name] for row in rows if name in row], dtype=float)
