"""What else stands in the articles that were found: for a model that reads it, and for quotations to be whole."""

from __future__ import annotations

from dataclasses import replace

from handrail.stores.snapshot import Snapshot
from handrail.types import Evidence, Hit

BEHIND = 0.5
"""Share of the best passage's score that an added one gets."""


class MoreOfTheArticle:
    """Adds passages of the best hit's article, the nearest first, up to `tokens` together, behind all others."""

    def __init__(self, snapshot: Snapshot, tokens: int) -> None:
        self._siblings: dict[str, list[int]] = {}
        for place, passage in enumerate(snapshot.passages):
            self._siblings.setdefault(passage.article_id, []).append(place)
        self._snapshot = snapshot
        self._tokens = tokens

    def __call__(self, evidence: Evidence) -> Evidence:
        if not evidence.hits:
            return evidence
        best = evidence.hits[0]
        known = {hit.passage.id for hit in evidence.hits}
        article = [self._snapshot.passages[place] for place in self._siblings.get(best.passage.article_id, ())]
        left = self._tokens
        added = []
        for passage in sorted(article, key=lambda item: abs(item.position - best.passage.position)):
            if passage.id not in known and passage.tokens <= left:
                added.append(Hit(passage, final=best.final * BEHIND, neighbour=True))
                left -= passage.tokens
        return replace(evidence, hits=(*evidence.hits, *added))


class RestOfTheArticles:
    """Puts beside the hits all else that their articles say: what is quoted of them may begin or end there."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    def __call__(self, evidence: Evidence) -> Evidence:
        known = {hit.passage.id for hit in evidence.hits}
        best: dict[str, float] = {}
        for hit in evidence.hits:
            article = hit.passage.article_id
            best[article] = max(best.get(article, 0.0), hit.final)
        besides = [
            Hit(passage, final=final * BEHIND, neighbour=True)
            for article, final in best.items()
            for passage in map(self._snapshot.passages.__getitem__, self._snapshot.rows.get(article, ()))
            if passage.id not in known
        ]
        return replace(evidence, besides=tuple(besides))
