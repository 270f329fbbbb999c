"""How the best article begins, for an answerer that quotes: its opening, and its first procedure."""

from __future__ import annotations

import re
from dataclasses import replace

from handrail.asking import short
from handrail.stores.snapshot import Snapshot
from handrail.types import Evidence, Hit

BEHIND = 0.5
"""Share of the best passage's score that an added one gets."""
PROCEDURE = re.compile(r"^1[.)] ", re.M)


class BeginningOfTheArticle:
    """Adds the first passage of the best hit's article and the one with its first procedure, behind all others.

    Evidence of a question that says more, and of no hits, stays as it is.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._places: dict[str, list[int]] = {}
        for place, passage in enumerate(snapshot.passages):
            self._places.setdefault(passage.article_id, []).append(place)
        self._snapshot = snapshot

    def __call__(self, evidence: Evidence) -> Evidence:
        if not evidence.hits or not short(evidence.query):
            return evidence
        best = evidence.hits[0]
        article = [self._snapshot.passages[place] for place in self._places.get(best.passage.article_id, ())]
        procedure = next((passage for passage in article if PROCEDURE.search(passage.text)), None)
        known = {hit.passage.id for hit in evidence.hits}
        begin = [passage for passage in article if passage.position == 0 or passage is procedure]
        added = [
            Hit(passage, final=best.final * BEHIND, neighbour=True) for passage in begin if passage.id not in known
        ]
        return replace(evidence, hits=(*evidence.hits, *added))
