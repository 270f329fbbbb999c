"""How well whole articles fit a query: the level at which one stray sentence of a wrong article does not win."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from handrail.retrieve.fusion import rescale
from handrail.stores.snapshot import Snapshot
from handrail.types import Vectors

BEST = 3
"""Passages of an article whose cosines are averaged."""


class ArticleFit:
    """Mean of the article's vector and its best passages on one side, BM25 over the whole article on the other."""

    def __init__(self, snapshot: Snapshot, keyword_weight: float) -> None:
        self._snapshot = snapshot
        self._keyword_weight = keyword_weight

    def scores(self, query: str, embedding: Vectors, cosines: Vectors, articles: Collection[str]) -> dict[str, float]:
        """In [0, 1] for each of `articles`, the best of each part being 1. `cosines` is `(passages,)`."""
        snapshot, floor = self._snapshot, self._snapshot.noise_floor
        rows = {article: snapshot.rows[article] for article in articles}
        whole = {a: float(snapshot.article_vectors[snapshot.article_row[a]] @ embedding) for a in articles}
        best = {a: float(np.sort(cosines[span])[-BEST:].mean()) for a, span in rows.items()}
        near, lead = rescale(whole, floor), rescale(best, floor)
        said = snapshot.article_keyword_scores(query)
        words = rescale({a: float(said[snapshot.article_row[a]]) for a in articles}, 0.0)
        weight = self._keyword_weight if any(words.values()) else 0.0
        return {a: (1 - weight) * (near[a] + lead[a]) / 2 + weight * words[a] for a in articles}
