"""Does it refuse what the articles do not answer, and only that? Whole turns, as a visitor has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eval.datasets.articles import PREFIX
from eval.datasets.refusal import RefusalCase
from eval.evaluators import NO_GOLD, question
from eval.metrics import refusal as metrics
from eval.metrics import share
from eval.metrics.refusal import Judged
from eval.runner import Done, Evaluation, Job
from handrail.assembly import Assistant
from handrail.types import Turn

RESULT = Turn


async def measure(job: Job[RefusalCase]) -> Done[RefusalCase, Turn]:
    assistant = Assistant(job.settings)

    async def work(case: RefusalCase) -> Turn:
        return await assistant.ask(question(case.question, job.settings))

    try:
        await assistant.start()
        return await job.each("refusal", work)
    finally:
        await assistant.stop()


def score(done: Done[RefusalCase, Turn]) -> Evaluation:
    judged = [
        Judged(case.should_refuse, turn.outcome.refused, case.bucket)
        for case, turn in done.measured
        if case.should_refuse is not None
    ]
    rows = done.rows(_row)
    cited = [row["expected_cited"] for row in rows if row.get("expected_cited") is not None]
    scores = metrics.score(judged)
    return Evaluation(
        metrics={**scores, "expected_cited": share(cited), "expected_cited_n": len(cited)},
        intervals=metrics.intervals(judged),
        rows=rows,
        interrupted=done.interrupted,
    )


def _row(case: RefusalCase, turn: Turn) -> dict[str, Any]:
    result = turn.outcome
    cited = list(dict.fromkeys(citation.passage.article_id for citation in result.citations))
    row: dict[str, Any] = {
        "bucket": case.bucket,
        "should_refuse": case.should_refuse,
        "refused": result.refused,
        "correct": None if case.should_refuse is None else result.refused == case.should_refuse,
        "routing": result.routing.value,
        "refusal_reason": result.refusal_reason.value if result.refusal_reason else None,
        "confidence": round(result.confidence, 4),
        "cited": cited,
        "expected_cited": None if result.refused or not case.documents else _any(case.documents, cited),
        "ms": turn.latency_ms["total"],
    }
    if case.should_refuse is None:
        row["not_applicable"] = NO_GOLD
    return row


def _any(expected: Sequence[str], cited: Sequence[str]) -> bool:
    return any(
        article == gold or (len(gold) >= PREFIX and article.startswith(gold)) for gold in expected for article in cited
    )
