"""Are the right articles found, and how far up? Retrieval alone: nothing is classified, gated or answered."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from eval.datasets.articles import KnownArticles
from eval.datasets.retrieval import RetrievalCase
from eval.evaluators import NO_GOLD, by_category, question
from eval.evaluators.bench import known_articles
from eval.metrics import retrieval as metrics
from eval.metrics.retrieval import DEPTH, Ranked
from eval.runner import Done, Evaluation, Job
from handrail.assembly import build_parts
from handrail.settings import Settings
from handrail.types import Evidence

DEEP = {"top_k": 20, "max_per_article": 2}
"""Ten articles need at least twenty passages of at most two each; the order of articles stays what it is."""


@dataclass(frozen=True, slots=True)
class Found:
    ranked: tuple[str, ...]
    """Different articles, best first."""
    known: Mapping[str, str] = field(default_factory=dict)
    """Articles the row named, as far as the knowledge base holds them: whole ids by what the row calls them."""
    not_in_kb: frozenset[str] = frozenset()
    """Names of articles it does not hold: they can never be found, and count as missed."""

    def gold(self, names: Sequence[str]) -> frozenset[str]:
        """Articles that answer, by their whole ids; one that is not there keeps its name."""
        held = KnownArticles({*self.known.values(), *self.ranked})
        return frozenset(self.known.get(name) or held.resolve(name) or name for name in names)


RESULT = Found


async def measure(job: Job[RetrievalCase]) -> Done[RetrievalCase, Found]:
    settings = deep(job.settings)
    parts = await asyncio.to_thread(build_parts, settings)
    try:
        retriever = parts.retriever(settings)
        articles = known_articles(parts)
        await retriever.retrieve("warm up", {})

        async def work(case: RetrievalCase) -> Found:
            evidence = await retriever.retrieve(question(case.question, settings).text, {})
            known = {name: found for name in case.article_ids if (found := articles.resolve(name))}
            return Found(
                tuple(ranking(evidence)), known, frozenset(name for name in case.article_ids if name not in known)
            )

        return await job.each("retrieval", work)
    finally:
        parts.close()


def score(done: Done[RetrievalCase, Found]) -> Evaluation:
    scored = [
        (case, Ranked(found.gold(case.article_ids), found.ranked)) for case, found in done.measured if case.article_ids
    ]
    scores = metrics.score_rows([ranked for _, ranked in scored])
    by_line = {case.line: row for (case, _), row in zip(scored, scores, strict=True)}

    def row(case: RetrievalCase, found: Found) -> dict[str, Any]:
        shown: dict[str, Any] = {
            "gold": list(case.article_ids),
            "gold_ids": sorted(found.gold(case.article_ids)),
            "ranked": list(found.ranked[:DEPTH]),
        }
        if not case.article_ids:
            return {**shown, "not_applicable": NO_GOLD}
        unknown = sorted(found.not_in_kb.intersection(case.article_ids))
        return {**shown, **by_line[case.line], **({"not_in_kb": unknown} if unknown else {})}

    rows = done.rows(row)
    missing = sum("not_in_kb" in item for item in rows)
    note = f"{missing} rows name articles that the knowledge base does not hold; those count as missed"
    return Evaluation(
        metrics={"n": len(scored), **metrics.mean(scores)},
        details=by_category(
            [(case.category, row) for (case, _), row in zip(scored, scores, strict=True)],
            lambda inside: {"n": len(inside), **metrics.mean(inside)},
        ),
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
