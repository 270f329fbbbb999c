"""Does it refuse what the articles do not answer, and only that? Whole turns, as a visitor has them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from eval.datasets.articles import KnownArticles
from eval.datasets.refusal import RefusalCase
from eval.evaluators import NO_GOLD, question
from eval.metrics import refusal as metrics
from eval.metrics import share
from eval.metrics.bootstrap import mean_interval
from eval.metrics.refusal import Judged
from eval.runner import Done, Evaluation, Job
from handrail.assembly import Assistant
from handrail.conversation.memory.window import latest
from handrail.types import Exchange, Passage, Routing, Turn

RESULT = Turn
CHARS_PER_TOKEN = 4


async def measure(job: Job[RefusalCase]) -> Done[RefusalCase, Turn]:
    assistant = Assistant(job.settings)

    async def work(case: RefusalCase) -> Turn:
        asked = question(case.question, job.settings)
        return await assistant.ask(replace(asked, history=history(case, job.settings.memory.window_tokens)))

    try:
        await assistant.start()
        return await job.each("refusal", work)
    finally:
        await assistant.stop()


def history(case: RefusalCase, window_tokens: int) -> list[Exchange]:
    """What was said before, as far as it fits the memory; four characters are taken for a token."""
    said = [Exchange(one.question, one.question, one.answer, Routing.ANSWERED) for one in case.before]
    return list(latest(said, window_tokens, lambda text: len(text) // CHARS_PER_TOKEN))


def score(done: Done[RefusalCase, Turn]) -> Evaluation:
    judged = [
        Judged(case.should_refuse, turn.outcome.refused, bucket(case), turn.outcome.confidence)
        for case, turn in done.measured
        if case.should_refuse is not None
    ]
    rows = done.rows(_row)
    cited = [row["expected_cited"] for row in rows if row.get("expected_cited") is not None]
    follow_ups = [row["correct"] for row in rows if row.get("follow_up") and row["correct"] is not None]
    return Evaluation(
        metrics=metrics.score(judged),
        details={
            "expected_cited": share(cited),
            "expected_cited_n": len(cited),
            "follow_ups": {"n": len(follow_ups), "accuracy": share(follow_ups)},
            "aurc": metrics.area(judged),
            "curve": metrics.curve(judged),
        },
        intervals={
            **metrics.intervals(judged),
            "expected_cited": mean_interval(np.asarray(cited, dtype=float)),
            "follow_ups.accuracy": mean_interval(np.asarray(follow_ups, dtype=float)),
        },
        rows=rows,
        interrupted=done.interrupted,
    )


def together(rows: Sequence[dict[str, Any]]) -> Evaluation:
    """The stored rows of several files as those of one."""
    told = [row for row in rows if row.get("should_refuse") is not None and "refused" in row]
    judged = [Judged(row["should_refuse"], row["refused"], row["bucket"], row["confidence"]) for row in told]
    return Evaluation(metrics=metrics.score(judged), intervals=metrics.intervals(judged), rows=list(rows))


def bucket(case: RefusalCase) -> str | None:
    """As the file says; of a row that names none, what should be done with it."""
    return case.bucket or (None if case.should_refuse is None else "refuse" if case.should_refuse else "answer")


def _row(case: RefusalCase, turn: Turn) -> dict[str, Any]:
    result = turn.outcome
    cited = {citation.passage.article_id: citation.passage for citation in result.citations}
    row: dict[str, Any] = {
        "bucket": bucket(case),
        "should_refuse": case.should_refuse,
        "follow_up": bool(case.before),
        "refused": result.refused,
        "correct": None if case.should_refuse is None else result.refused == case.should_refuse,
        "routing": result.routing.value,
        "refusal_reason": result.refusal_reason.value if result.refusal_reason else None,
        "answer": result.answer,
        "confidence": round(result.confidence, 4),
        "cited": list(cited),
        "expected_cited": None if result.refused or not case.documents else _any(case.documents, cited),
        "ms": turn.latency_ms["total"],
    }
    if case.should_refuse is None:
        row["not_applicable"] = NO_GOLD
    return row


def _any(expected: Iterable[str], cited: Mapping[str, Passage]) -> bool:
    """Whether a cited article is one of those expected, whatever the file calls it."""
    articles = KnownArticles(
        cited, {id_: passage.url for id_, passage in cited.items()}, {id_: p.title for id_, p in cited.items()}
    )
    return any(articles.resolve(name) is not None for name in expected)
