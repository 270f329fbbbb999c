"""How far articles are believed, by their tier and by whether something newer is in their place.

One factor an article, on the order of what was found and on the odds that a section of it answers. Articles that say
nothing have the factor 1, so a knowledge base without tiers is ranked as if there were none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from handrail.settings import Retrieval
from handrail.stores.relations import Relations
from handrail.stores.snapshot import Snapshot
from handrail.types import Candidate, Hit
from handrail.types.filters import Tier

REPLACED = 6
"""Best passages whose articles are looked at for one that is in their place."""


class Trust:
    def __init__(self, snapshot: Snapshot, relations: Relations, settings: Retrieval) -> None:
        self._relations = relations
        self._tiers: Mapping[str, float] = {
            Tier.CANONICAL: settings.canonical_weight,
            Tier.RAW: settings.raw_weight,
            Tier.MACHINE: settings.machine_weight,
        }
        self._outdated = settings.outdated_weight
        first = {passage.article_id: passage for passage in reversed(snapshot.passages)}
        weights = {article: self._weight(article, passage.facets.get("tier")) for article, passage in first.items()}
        self._weights = {article: weight for article, weight in weights.items() if weight != 1.0}

    def _weight(self, article: str, tier: str | None) -> float:
        of_tier = self._tiers.get(tier or Tier.APPROVED, 1.0)
        return min(of_tier, 1.0) * self._outdated if self._relations.outdated(article) else of_tier

    def hits(self, hits: Sequence[Hit]) -> list[Hit]:
        """In the order in which they are worth reading; their scores stay as they were measured."""
        if not self._weights:
            return list(hits)
        return sorted(hits, key=lambda hit: -hit.fused * self._weights.get(hit.passage.article_id, 1.0))

    def sections(self, sections: Sequence[Candidate]) -> list[Candidate]:
        """The likeliest to answer, and to be right, first."""
        weighed = [self._weighed(one) for one in sections] if self._weights else list(sections)
        return sorted(weighed, key=lambda one: -one.probability)

    def _weighed(self, one: Candidate) -> Candidate:
        weight = self._weights.get(one.section.article_id, 1.0)
        odds = weight * one.probability
        return replace(one, probability=odds / (odds + 1 - one.probability)) if weight != 1.0 else one

    def replacing(self, hits: Sequence[Hit]) -> list[str]:
        """Articles that have taken the place of those found, best first; `hits` are in the order of their scores."""
        found = dict.fromkeys(hit.passage.article_id for hit in hits[:REPLACED])
        newer = (self._relations.newest(article) for article in found)
        return [article for article in dict.fromkeys(newer) if article is not None]
