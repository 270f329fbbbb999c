"""Ranking metrics over articles, by ir-measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import ir_measures
import numpy as np
from ir_measures import RR, R, Success, nDCG

from eval.metrics.bootstrap import Interval, mean_interval

DEPTH = 10
"""Articles of a ranking that count; `mrr` is cut here, too."""

MEASURES = {
    "hit@1": Success @ 1,
    "hit@3": Success @ 3,
    "hit@5": Success @ 5,
    "hit@10": Success @ 10,
    "recall@5": R @ 5,
    "mrr": RR,
    "ndcg@10": nDCG @ 10,
}


@dataclass(frozen=True, slots=True)
class Ranked:
    gold: frozenset[str]
    """Articles that answer; not empty."""
    articles: Sequence[str]
    """Different articles, best first."""


def score_rows(rows: Sequence[Ranked]) -> list[dict[str, float]]:
    """Every metric of every row, each in [0, 1]."""
    relevant = {str(i): dict.fromkeys(row.gold, 1) for i, row in enumerate(rows)}
    scores: list[dict[str, float]] = [dict.fromkeys((*MEASURES, "all_gold@5"), 0.0) for _ in rows]
    found = {
        str(i): {article: -float(rank) for rank, article in enumerate(row.articles[:DEPTH])}
        for i, row in enumerate(rows)
        if row.articles
    }
    names = {str(measure): name for name, measure in MEASURES.items()}
    for metric in ir_measures.iter_calc(list(MEASURES.values()), relevant, found):
        scores[int(metric.query_id)][names[str(metric.measure)]] = float(metric.value)
    for row, values in zip(rows, scores, strict=True):
        values["all_gold@5"] = float(row.gold <= set(row.articles[:5]))
    return scores


def mean(scores: Sequence[dict[str, float]]) -> dict[str, float | None]:
    """Means over rows; None for no rows."""
    names = (*MEASURES, "all_gold@5")
    return {name: float(np.mean([row[name] for row in scores])) if scores else None for name in names}


def intervals(scores: Sequence[dict[str, float]]) -> dict[str, Interval | None]:
    headline = ("hit@1", "hit@5", "recall@5", "mrr", "ndcg@10")
    return {name: mean_interval(np.asarray([row[name] for row in scores])) for name in headline}
