"""Are the right articles found, and how far up? Retrieval alone: nothing is classified, gated or answered."""

from __future__ import annotations

import asyncio
from typing import Any

from eval.datasets.articles import resolve
from eval.datasets.retrieval import RetrievalCase
from eval.evaluators import NO_GOLD, question
from eval.metrics import retrieval as metrics
from eval.metrics.retrieval import DEPTH, Ranked
from eval.runner import Evaluation, Job, run_each
from handrail.assembly import build_parts
from handrail.settings import Settings
from handrail.types import Evidence

DEEP = {"top_k": 20, "max_per_article": 2}
"""Ten articles need at least twenty passages of at most two each; the order of articles stays what it is."""


async def evaluate(job: Job[RetrievalCase]) -> Evaluation:
    settings = deep(job.settings)
    parts = await asyncio.to_thread(build_parts, settings)
    try:
        retriever = parts.retriever(settings)
        await retriever.retrieve("warm up", {})

        async def work(case: RetrievalCase) -> list[str]:
            return ranking(await retriever.retrieve(question(case.question, settings).text, {}))

        done = await run_each(job.cases, work, job.bars.phase("retrieval", len(job.cases)))
        articles = frozenset(parts.snapshot.articles)
    finally:
        parts.close()
    # An id that names no article stays as it is: it can never be found, and counts as missed.
    gold = {case.line: frozenset(resolve(name, articles) or name for name in case.article_ids) for case in job.cases}
    scored = [(case, Ranked(gold[case.line], found)) for case, found in done.measured if case.article_ids]
    scores = metrics.score_rows([ranked for _, ranked in scored])
    by_line = {case.line: row for (case, _), row in zip(scored, scores, strict=True)}

    def row(case: RetrievalCase, found: list[str]) -> dict[str, Any]:
        shown: dict[str, Any] = {"gold": list(case.article_ids), "ranked": found[:DEPTH]}
        if not case.article_ids:
            return {**shown, "not_applicable": NO_GOLD}
        unknown = sorted(gold[case.line] - articles)
        return {**shown, **by_line[case.line], **({"not_in_kb": unknown} if unknown else {})}

    rows = done.rows(row)
    missing = sum("not_in_kb" in item for item in rows)
    note = f"{missing} rows name articles that {settings.knowledge.kb!r} does not hold; those count as missed"
    return Evaluation(
        metrics={"n": len(scores), **metrics.mean(scores)},
        intervals=metrics.intervals(scores),
        rows=rows,
        interrupted=done.interrupted,
        conditions={"retrieval": DEEP},
        notes=[note] if missing else [],
    )


def deep(settings: Settings) -> Settings:
    """`settings` with enough passages for ten articles; candidates and their order are left alone."""
    return settings.model_copy(update={"retrieval": settings.retrieval.model_copy(update=DEEP)})


def ranking(evidence: Evidence) -> list[str]:
    """Different articles, best first; neighbours were not retrieved and do not count."""
    return list(dict.fromkeys(hit.passage.article_id for hit in evidence.hits if not hit.neighbour))
