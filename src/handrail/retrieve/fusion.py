"""Weighted fusion of dense and keyword scores.

Scores are scaled per query before they are weighted (convex combination; Bruch, Gai and Ingber 2023 found it ahead of
reciprocal rank fusion and robust to the choice of scaling).
"""

from __future__ import annotations

from collections.abc import Mapping

COSINE_FLOOR = 0.45
"""Cosine similarity of bge-small for unrelated texts; what is below it is noise."""


def fuse(dense: Mapping[str, float], keyword: Mapping[str, float], dense_weight: float) -> dict[str, float]:
    """Fused scores in [0, 1] for every id in either list.

    Cosines are rescaled from [COSINE_FLOOR, best] and BM25 scores from [0, best], so that each list's best is 1. A
    passage that one list did not bring gets 0 from that list.
    """
    best_keyword = max(keyword.values(), default=0.0)
    best_dense = max(dense.values(), default=0.0)
    span = max(best_dense - COSINE_FLOOR, 1e-6)
    if best_keyword <= 0:
        dense_weight = 1.0
    fused = {}
    for passage_id in dense.keys() | keyword.keys():
        from_dense = min(1.0, max(0.0, (dense.get(passage_id, 0.0) - COSINE_FLOOR) / span))
        from_keyword = keyword.get(passage_id, 0.0) / best_keyword if best_keyword > 0 else 0.0
        fused[passage_id] = dense_weight * from_dense + (1.0 - dense_weight) * from_keyword
    return fused
