"""Weighted fusion of dense and keyword scores.

Scores are scaled per query before they are weighted (convex combination; Bruch, Gai and Ingber 2023 found it ahead of
reciprocal rank fusion and robust to the choice of scaling).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from handrail.types import Hit

FAVOUR = 0.08
"""Added to the fused score of passages whose article the last answer cited."""


def rescale(scores: Mapping[str, float], floor: float) -> dict[str, float]:
    """Scores from [floor, best] to [0, 1]; all 0 when none is above the floor."""
    span = max(max(scores.values(), default=floor) - floor, 1e-6)
    return {key: min(1.0, max(0.0, (score - floor) / span)) for key, score in scores.items()}


def fuse(
    dense: Mapping[str, float], keyword: Mapping[str, float], dense_weight: float, floor: float
) -> dict[str, float]:
    """Fused scores in [0, 1] for every id in either list.

    `floor` is the cosine of unrelated texts. Cosines are rescaled from [floor, best] and BM25 scores from [0, best], so
    that each list's best is 1. A passage that one list did not bring gets 0 from that list.
    """
    best_keyword = max(keyword.values(), default=0.0)
    best_dense = max(dense.values(), default=0.0)
    span = max(best_dense - floor, 1e-6)
    if best_keyword <= 0:
        dense_weight = 1.0
    fused = {}
    for passage_id in dense.keys() | keyword.keys():
        from_dense = min(1.0, max(0.0, (dense.get(passage_id, 0.0) - floor) / span))
        from_keyword = keyword.get(passage_id, 0.0) / best_keyword if best_keyword > 0 else 0.0
        fused[passage_id] = dense_weight * from_dense + (1.0 - dense_weight) * from_keyword
    return fused


def lean(fused: Mapping[str, float], fit: Mapping[str, float], weight: float) -> dict[str, float]:
    """Fused scores with `weight` of them given to `fit`: how well each passage's article fits as a whole, in [0, 1].

    A passage of the right article that words the answer unlike the question gains; a stray sentence of a wrong one
    loses.
    """
    return {passage_id: (1 - weight) * score + weight * fit[passage_id] for passage_id, score in fused.items()}


def together(lists: Sequence[tuple[float, Sequence[Hit]]], favoured: Collection[str]) -> list[Hit]:
    """Hits of several wordings of one question, best first; each list comes with its weight.

    The first list is the one whose dense and keyword scores are kept where several have a passage.
    """
    total = sum(weight for weight, _ in lists)
    merged: dict[str, Hit] = {}
    fused: dict[str, float] = {}
    for weight, hits in lists:
        for hit in hits:
            merged.setdefault(hit.passage.id, hit)
            fused[hit.passage.id] = fused.get(hit.passage.id, 0.0) + hit.fused * weight / total
    leaned = {i: score + FAVOUR * (merged[i].passage.article_id in favoured) for i, score in fused.items()}
    hits = [replace(merged[i], fused=min(1.0, score), final=min(1.0, score)) for i, score in leaned.items()]
    return sorted(hits, key=lambda hit: (-hit.fused, hit.passage.id))
