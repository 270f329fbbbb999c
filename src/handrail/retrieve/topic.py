"""How much a message has to do with the articles as a whole: one matrix product, no search."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from handrail.stores.snapshot import Snapshot
from handrail.stores.tokens import tokenize
from handrail.types import Vectors

TITLES = 40


def covered_by(titles: Sequence[str]) -> str:
    """What articles of these titles cover, in one text; of many, some from beginning to end."""
    step = max(1, -(-len(titles) // TITLES))
    return "; ".join(titles[::step])


class TopicProbe:
    """`covers` is the embedding of the operator's "what we cover" text, or None."""

    def __init__(self, snapshot: Snapshot, covers: Vectors | None) -> None:
        self._articles = snapshot.article_vectors
        self._passages = snapshot.vectors
        self._known = snapshot.inverse_frequency
        self._covers = covers
        self._stemming = snapshot.stemming

    def features(self, text: str, embedding: Vectors) -> dict[str, float]:
        """Cosines of the best passage, of the best and the best five articles and of the scope text; known words.

        `article_z` is how far the best article stands out among all, in standard deviations.
        """
        cosines = np.sort(_cosines(self._articles, embedding))[::-1]
        terms = set(tokenize(text, self._stemming))
        spread = float(cosines.std()) if len(cosines) > 1 else 0.0
        return {
            "passage_top": float(_cosines(self._passages, embedding).max(initial=0.0)),
            "article_top": float(cosines[0]) if len(cosines) else 0.0,
            "article_mean5": float(cosines[:5].mean()) if len(cosines) else 0.0,
            "covers": float(self._covers @ embedding) if self._covers is not None else 0.0,
            "article_z": float((cosines[0] - cosines.mean()) / spread) if spread > 0 else 0.0,
            "known": sum(term in self._known for term in terms) / len(terms) if terms else 0.0,
        }


def _cosines(rows: Vectors, embedding: Vectors) -> Vectors:
    """`(n,)`; an index without passages has rows of no width."""
    return rows @ embedding if len(rows) else np.zeros(0, dtype=np.float32)
