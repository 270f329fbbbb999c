"""Signals that tell whether the evidence holds an answer; gates turn them into a probability.

Cosines and logits differ from one knowledge base to the next, so most signals are relative: to the query's own scores
over all passages, to the words of the index, or to the next best hit.
"""

from __future__ import annotations

import re
from calendar import day_name, month_name
from collections.abc import Mapping, Sequence
from math import log

import numpy as np

from handrail.stores.snapshot import Snapshot
from handrail.stores.tokens import coverage, tokenize
from handrail.types import Hit, Vectors

NAME = re.compile(r"(?<![.!?]\s)(?<!^)\b(?:[A-Z][\w.-]*[\w]|[a-z]+[A-Z]\w*)|\b[A-Za-z]+-?\d[\w.]*\b")
"""What looks like a name inside a sentence: a capital that starts no sentence, inner capitals, letters with digits."""
CALENDAR = frozenset((*day_name, *month_name))
YES_NO = re.compile(r"^(is|are|do|does|did|can|could|may|will|would|has|have|am)\b", re.I)
MONEY = re.compile(r"\b(price|prices|cost|costs|how much|fee|fees|pay|free|cheap\w*|expensive|discount)\b", re.I)
FAR = -8.0
"""Logit of the cross-encoder below which less of it means that nothing is even about the question (experiment 141)."""
TOGETHER = 3
"""Passages that are read as one when words are looked for."""
SMALL = 300
"""Passages up to which a knowledge base counts as small: some thirty pages, as in those that gates are fitted to."""
SURE = 5.0
"""Logit of the cross-encoder from which more of it means more: below, near-misses in an article's own words score as
high as questions in other words (experiment 57)."""


def measure(
    query: str, hits: Sequence[Hit], snapshot: Snapshot, cosines: Vectors, floor: float | None = None
) -> dict[str, float]:
    """Named signals of a ranked list. `cosines` is `(passages,)`: the query against the whole index, in its order.

    `floor` is the cosine of unrelated texts, where it is not the snapshot's own.
    """
    ranked = [hit for hit in hits if not hit.neighbour]
    return {
        **_reranking(ranked),
        **_nearness(ranked, snapshot.noise_floor if floor is None else floor, cosines),
        **_words(query, ranked, snapshot.inverse_frequency, snapshot.stemming),
        **_shape(query, snapshot.stemming),
        "size": log(max(len(snapshot.passages) / SMALL, 1.0)),
    }


def _reranking(ranked: Sequence[Hit]) -> dict[str, float]:
    logits = sorted((hit.rerank for hit in ranked if hit.rerank is not None), reverse=True) or [0.0]
    third = logits[min(2, len(logits) - 1)]
    return {
        "rerank_top": logits[0],
        "rerank_sure": max(logits[0] - SURE, 0.0),
        "rerank_far": min(logits[0] - FAR, 0.0),
        "rerank_margin": logits[0] - third,
        "rerank_mean": sum(logits) / len(logits),
        "rerank_second": logits[min(1, len(logits) - 1)],
    }


def _nearness(ranked: Sequence[Hit], floor: float, cosines: Vectors) -> dict[str, float]:
    dense = sorted((hit.dense for hit in ranked), reverse=True) or [0.0]
    top, keyword = _best(ranked, "dense"), _best(ranked, "keyword")
    found: dict[str, float] = {
        "dense_top": dense[0],
        "dense_third": dense[min(2, len(dense) - 1)],
        "agreement": float(top is not None and top == keyword),
        "both": float(bool(ranked and ranked[0].dense > 0 and ranked[0].keyword > 0)),
    }
    return {**found, **lead(cosines, floor)}


def lead(cosines: Vectors, floor: float) -> dict[str, float]:
    """How far the best of all cosines is ahead; `floor` is that of unrelated texts."""
    if not len(cosines):
        return {"dense_z": 0.0, "dense_gap": 0.0, "dense_lift": 0.0}
    best = np.sort(cosines)[::-1]
    spread = max(float(cosines.std()), 1e-6)
    return {
        "dense_z": float((best[0] - cosines.mean()) / spread),
        "dense_gap": float((best[0] - best[3:10].mean()) / spread) if len(best) > 3 else 0.0,
        "dense_lift": float((best[0] - floor) / max(1.0 - floor, 1e-6)),
    }


def _best(ranked: Sequence[Hit], score: str) -> str | None:
    """The article whose passage leads by one score."""
    top = max(ranked, key=lambda hit: float(getattr(hit, score)), default=None)
    return top.passage.article_id if top is not None and getattr(top, score) > 0 else None


def _words(query: str, ranked: Sequence[Hit], weights: Mapping[str, float], lang: str) -> dict[str, float]:
    """How much of the question the passages say, and whether a rare word or a name of it is missing from them."""
    rarest = max(weights.values(), default=1.0)
    together = " ".join(hit.passage.embedding_text for hit in ranked[:TOGETHER])
    present = set(tokenize(together, lang))
    asked = set(tokenize(query, lang))
    missing = [weights.get(term, rarest) / rarest for term in asked - present]
    names = [set(tokenize(name, lang)) for name in _names(query, lang)]
    titles = " ".join(" ".join((hit.passage.title, *hit.passage.headings)) for hit in ranked[:TOGETHER])
    return {
        "coverage_top": coverage(query, ranked[0].passage.embedding_text, weights, rarest, lang) if ranked else 0.0,
        "coverage_all": coverage(query, together, weights, rarest, lang),
        "coverage_title": coverage(query, titles, weights, rarest, lang),
        "missing_rarest": max(missing, default=0.0),
        "unknown": sum(term not in weights for term in asked) / len(asked) if asked else 0.0,
        "names_missing": float(any(name and not name & present for name in names)),
        "names_found": float(sum(bool(name & present) for name in names)),
    }


def _names(query: str, lang: str) -> list[str]:
    """Without days and months; none where capitals say nothing: among German nouns, and in a message that shouts."""
    shouted = sum(map(str.isupper, query)) > sum(map(str.islower, query))
    names = NAME.findall(query) if not shouted and lang != "german" else []
    return [name for name in names if name not in CALENDAR]


def _shape(query: str, lang: str) -> dict[str, float]:
    return {
        "terms": float(len(set(tokenize(query, lang)))),
        "yes_no": float(bool(YES_NO.match(query.strip()))),
        "money": float(bool(MONEY.search(query))),
    }
