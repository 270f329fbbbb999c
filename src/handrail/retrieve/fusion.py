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


def lean(fused: Mapping[str, float], nearness: Mapping[str, float], weight: float, floor: float) -> dict[str, float]:
    """Fused scores with `weight` of them given to how near each passage's article is as a whole.

    `nearness` holds a cosine for every id of `fused`, rescaled like dense scores. A passage of the right article that
    words the answer unlike the question gains; a stray sentence of a wrong one loses.
    """
    span = max(max(nearness.values(), default=0.0) - floor, 1e-6)
    return {
        passage_id: (1 - weight) * score + weight * min(1.0, max(0.0, (nearness[passage_id] - floor) / span))
        for passage_id, score in fused.items()
    }


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
