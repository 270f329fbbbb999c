"""One question through retrieval: the section that leads, with everything the gate reads of it."""

from __future__ import annotations

import hashlib

from handrail.assembly import Parts
from handrail.assembly.fitted import shipped_gate
from handrail.assembly.models import readers_of, reads
from handrail.calibrate import Asked, Observed
from handrail.models.calibration import probability
from handrail.retrieve.hybrid import HybridRetriever
from handrail.settings import Settings
from handrail.types import Hit, Passage, Vectors
from handrail.types.filters import Filters

VERSION = 13
"""Raised when signals change their meaning or there are new ones."""


class Without(HybridRetriever):
    """Retrieval as if some articles did not exist."""

    hidden: tuple[str, ...] = ()

    def _search(self, query: str, embedding: Vectors, filters: Filters) -> list[Hit]:
        hits = super()._search(query, embedding, filters)
        return [hit for hit in hits if not names(self.hidden, hit.passage.article_id)]


class Observer:
    """Runs questions one after the other; not for concurrent use."""

    def __init__(self, parts: Parts, settings: Settings) -> None:
        self._retriever = parts.retriever_of(Without, settings)
        self.gate = shipped_gate("answers", settings, parts.snapshot.lang)
        """What a fit starts from, and what says which section leads: a slope and a shift change nothing about that."""
        self.made_with = _made_with(parts, settings, self.gate.model_dump_json())
        self.unread = None if reads(settings.models.embedder, parts.snapshot.lang) else parts.snapshot.lang
        """The articles' language where the embedder doesn't read it, so that no question is for this gate."""

    def judges(self, asked: Asked) -> bool:
        """Whether this gate judges the question: across languages another one does, which is not fitted."""
        return not self._retriever.crosses(asked.question)

    async def search(self, question: str) -> list[Passage]:
        """Passages found for it, best first."""
        self._retriever.hidden = ()
        return [hit.passage for hit in (await self._retriever.retrieve(question, {})).hits]

    async def observe(self, asked: Asked) -> Observed:
        self._retriever.hidden = asked.without
        evidence = await self._retriever.retrieve(asked.question, {})
        if not evidence.sections or evidence.unlisted:
            return Observed(asked, {}, right=False)
        leading = max(evidence.sections, key=lambda one: probability(self.gate, one.signals))
        gold = asked.article_ids
        right = asked.answerable and (not gold or names(gold, leading.section.article_id))
        return Observed(asked, dict(leading.signals), right)


def _made_with(parts: Parts, settings: Settings, gate: str) -> str:
    """What observations depend on: another index, model or retrieval setting makes other ones."""
    models, reader = settings.models, readers_of(settings)
    used = (models.embedder, models.reranker, models.rerank_max_tokens, models.foreign)
    late = parts.late.encoder.name if parts.late is not None else "none"
    tuned = parts.tuned.digest if parts.tuned is not None else ""
    digest = reader.digest if reader is not None else ""
    kept = (settings.retrieval.model_dump_json(), tuned, late, digest, gate)
    text = repr((VERSION, parts.store.name, parts.store.generation, used, kept))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def names(ids: tuple[str, ...], article: str) -> bool:
    """Ids of sixteen characters and more may be shortened."""
    return any(article == name or (len(name) >= 16 and article.startswith(name)) for name in ids)
