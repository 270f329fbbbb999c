"""Signals that tell whether the evidence holds an answer; gates turn them into a probability."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from handrail.stores.tokens import coverage, tokenize
from handrail.types import Hit


def measure(query: str, hits: Sequence[Hit], weights: Mapping[str, float]) -> dict[str, float]:
    """Named signals of a ranked list; zeros when it is empty."""
    ranked = [hit for hit in hits if not hit.neighbour]
    unknown = max(weights.values(), default=1.0)
    rerank = sorted((hit.rerank for hit in ranked if hit.rerank is not None), reverse=True)
    dense = sorted((hit.dense for hit in ranked), reverse=True)
    top = ranked[0] if ranked else None
    together = " ".join(hit.passage.embedding_text for hit in ranked[:3])
    return {
        "rerank_top": rerank[0] if rerank else 0.0,
        "rerank_margin": rerank[0] - rerank[min(2, len(rerank) - 1)] if rerank else 0.0,
        "dense_top": dense[0] if dense else 0.0,
        "dense_third": dense[min(2, len(dense) - 1)] if dense else 0.0,
        "coverage_top": coverage(query, top.passage.embedding_text, weights, unknown) if top else 0.0,
        "coverage_all": coverage(query, together, weights, unknown),
        "agreement": float(bool(top and top.dense > 0 and top.keyword > 0)),
        "terms": float(len(set(tokenize(query)))),
    }
