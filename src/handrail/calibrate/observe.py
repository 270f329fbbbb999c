"""One question through retrieval and answering, with everything the gates may read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from handrail.assembly import Parts
from handrail.assembly.stages import local_classifier
from handrail.calibrate import Asked, Observed
from handrail.generate.critique import fit_signals
from handrail.generate.extractive import ExtractiveAnswerer
from handrail.retrieve.abroad import AbroadSearch
from handrail.retrieve.answers import to_read
from handrail.retrieve.hybrid import HybridRetriever
from handrail.settings import Settings
from handrail.types import Classification, Hit, Label, Passage, Question, Vectors
from handrail.wording import load_wording

ANSWERABLE = Classification(Label.ANSWERABLE, 1.0, "rule")
STATIC = (Label.OUT_OF_SCOPE, Label.IRRELEVANT, Label.NONSENSE)


class Without(HybridRetriever):
    """Retrieval as if some articles did not exist."""

    hidden: tuple[str, ...] = ()

    def _search(self, query: str, embedding: Vectors, filters: Mapping[str, str]) -> list[Hit]:
        hits = super()._search(query, embedding, filters)
        return self._shown(hits)

    async def _search_abroad(self, abroad: AbroadSearch, text: str, filters: Mapping[str, str]) -> list[Hit]:
        return self._shown(await super()._search_abroad(abroad, text, filters))

    def _shown(self, hits: Sequence[Hit]) -> list[Hit]:
        return [hit for hit in hits if not names(self.hidden, hit.passage.article_id)]


class Observer:
    """Runs questions one after the other; not for concurrent use."""

    def __init__(self, parts: Parts, settings: Settings) -> None:
        self._retriever = parts.retriever_of(Without, settings)
        self._answerer = ExtractiveAnswerer(
            parts.quote, settings.generate, load_wording(settings.brand.name), None, near=parts.nearness(settings)
        )
        self._classifier = local_classifier(settings, self._retriever.sentences, parts.snapshot.knows)
        self._words = parts.words_read(settings)

    async def search(self, question: str) -> list[Passage]:
        """Passages found for it, best first."""
        self._retriever.hidden = ()
        return [hit.passage for hit in (await self._retriever.retrieve(question, {})).hits]

    async def observe(self, asked: Asked) -> Observed:
        question = Question(asked.question, "", "")
        self._retriever.hidden = asked.without
        probe = await self._retriever.probe(asked.question)
        labelled = await self._classifier.classify(question, probe)
        evidence = await self._retriever.retrieve(asked.question, {}, probe)
        draft = await self._answerer.answer(question, ANSWERABLE, evidence)
        cited = {passage_id for claim in draft.claims for passage_id in claim.passage_ids}
        gold = asked.article_ids
        own = [hit for hit in evidence.hits if not hit.neighbour]
        return Observed(
            asked,
            fit_signals(draft, evidence),
            found=any(names(gold, hit.passage.article_id) for hit in evidence.hits),
            cited=any(names(gold, passage_id.rpartition("/")[0]) for passage_id in cited),
            static=sum(labelled.probabilities.get(label, 0.0) for label in STATIC),
            overall=dict(probe.topic),
            read=tuple((hit.passage.article_id, text) for hit, text in to_read(asked.question, own, self._words)),
        )


def names(ids: tuple[str, ...], article: str) -> bool:
    """Ids of sixteen characters and more may be shortened."""
    return any(article == name or (len(name) >= 16 and article.startswith(name)) for name in ids)
