"""Dense and keyword search side by side, fused, leaned on by late interaction; then the likeliest sections are read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from handrail.errors import RetryableError
from handrail.models.batching import Batcher
from handrail.retrieve.abroad import AbroadSearch, in_another_language
from handrail.retrieve.articles import ArticleFit
from handrail.retrieve.codes import ListedCodes
from handrail.retrieve.exact import DENSE_WEIGHT, exact_terms
from handrail.retrieve.fusion import fuse, lean, together
from handrail.retrieve.late import LateInteraction
from handrail.retrieve.section_reader import SectionReader, reordered
from handrail.retrieve.trust import Trust
from handrail.settings import Retrieval
from handrail.stores.audience import Audience
from handrail.stores.filters import over, selected
from handrail.stores.relations import Relations
from handrail.stores.snapshot import Snapshot
from handrail.text.courtesies import without_courtesies, without_trailer
from handrail.text.sentences import pieces
from handrail.types import Candidate, Evidence, Hit, MessageScores, Passage, Probe, Understood, Vectors, Wordings
from handrail.types.filters import Filters

ENGLISH = "en"
PIECE = 160
"""Characters of the pieces of a longer message that are heard one by one: an encoder hears some sixty words."""
DISCUSSED = 6
"""Passages of the articles under discussion that are read beside what is found."""
REPLACING = 2
"""The same of articles that have taken the place of one that was found."""
DenseSearch = Callable[[Vectors, int, Filters, Audience], list[tuple[str, float]]]
"""`(vector, k, filters, audience)` to `(passage id, cosine)`, best first."""


class HybridRetriever:
    def __init__(
        self,
        snapshot: Snapshot,
        dense: DenseSearch,
        embedder: Batcher[str, Vectors],
        reader: SectionReader,
        settings: Retrieval,
        adapt: Callable[[Vectors], Vectors] | None = None,
        late: LateInteraction | None = None,
        message_scorer: Batcher[str, MessageScores] | None = None,
        foreign_scorer: Batcher[str, MessageScores] | None = None,
        abroad: AbroadSearch | None = None,
    ) -> None:
        """Finds what the audience of `snapshot` may read, and nothing else.

        `adapt` moves a query's embedding before the search; the probe is of the unmoved embedding.

        `message_scorer` gives what a probe says beside it of a message's label; `foreign_scorer` does so
        in any language. `abroad` searches for what the embedder does not read.
        """
        self._snapshot = snapshot
        self._dense = dense
        self._embedder = embedder
        self._reader = reader
        self._settings = settings
        self._adapt = adapt
        self._late = late
        self._scorer = message_scorer
        self._foreign_scorer = foreign_scorer
        self._abroad = abroad
        self._codes = ListedCodes(snapshot.passages)
        self._articles = ArticleFit(snapshot, settings.article_keyword_weight)
        self._trust = Trust(snapshot, Relations(snapshot), settings)

    def foresee(self, text: str) -> None:
        """Begin to read a message that is about to be asked about, while its turn is still being prepared."""
        plain = _plain(text)
        self._embedder.foresee(plain)
        if self._scorer is not None:
            self._scorer.foresee(plain)
        if self._late is not None:
            self._late.foresee(plain)
        if self._foreign_scorer is not None:
            self._foreign_scorer.foresee(text.strip())
        if self._abroad is not None:
            self._abroad.foresee(plain)

    async def probe(self, text: str) -> Probe:
        said, plain = without_courtesies(text), _plain(text)
        scorer, long = (self._scorer, plain) if self._foreign_scorer is None else (self._foreign_scorer, said)
        # Labels were learnt without courtesies; what a message does may be in nothing else ("no thanks").
        abroad = in_another_language(plain, ENGLISH, self._snapshot)
        texts = [text.strip(), *([said] if abroad and said != text.strip() else [])]
        (probe,), (own, *labelled), further = await asyncio.gather(
            self._probes([plain]), _scored(self._foreign_scorer, texts), _scored(scorer, pieces(long, PIECE))
        )
        labels = next((one.labels for one in (*labelled, own) if one is not None), None)
        whole = own.understood if own is not None else probe.understood
        return replace(probe, foreign=labels, abroad=abroad, understood=_with_pieces(whole, further))

    async def _probes(self, texts: Sequence[str]) -> list[Probe]:
        embeddings, scores = await asyncio.gather(self._embedder.submit(texts), _scored(self._scorer, texts))
        return [
            Probe(
                embedding,
                said.labels if said is not None else None,
                understood=said.understood if said is not None else None,
            )
            for text, embedding, said in zip(texts, embeddings, scores, strict=True)
        ]

    def crosses(self, query: str) -> bool:
        """Whether `query` is searched for, and judged, across languages."""
        return self._abroad is not None and self._abroad.takes(_plain(query))

    async def retrieve(
        self, query: str, filters: Filters, probe: Probe | None = None, wordings: Wordings | None = None
    ) -> Evidence:
        plain, filters = _plain(query), over(filters, self._snapshot.lang, self._snapshot.tags)
        if self._abroad is not None and self._abroad.takes(plain):
            return await self._retrieve_abroad(self._abroad, plain, filters, wordings)
        if self._late is not None:
            self._late.foresee(plain)
        embedding = probe.embedding if probe is not None else (await self._embedder.submit([plain]))[0]
        if wordings is not None and wordings.beside:
            hits = await self._search_together(plain, wordings, filters)
        else:
            hits = await asyncio.to_thread(self._search, plain, embedding, filters)
        if self._late is not None:
            hits = await self._late.lean(plain, hits)
        cosines = self._snapshot.cosines(embedding)
        discussed, hits = self._beside(hits, wordings, cosines, filters), self._trust.hits(hits)
        sections = self._trust.sections(await self._reader.read(plain, hits, cosines, discussed))
        return self._evidence(plain, hits, sections)

    async def search(self, query: str, filters: Filters) -> Sequence[Hit]:
        """What `retrieve` would read the sections of, best first; nothing is read."""
        plain, filters = _plain(query), over(filters, self._snapshot.lang, self._snapshot.tags)
        if self._abroad is not None and self._abroad.takes(plain):
            k = self._settings.dense_k
            return self._trust.hits(await self._abroad.hits(plain, k, filters, lambda q: self._keyword(q, filters)))
        (embedding,) = await self._embedder.submit([plain])
        hits = await asyncio.to_thread(self._search, plain, embedding, filters)
        return self._trust.hits(hits if self._late is None else await self._late.lean(plain, hits))

    async def _retrieve_abroad(
        self, abroad: AbroadSearch, query: str, filters: Filters, wordings: Wordings | None
    ) -> Evidence:
        """What the embedder does not read: the encoder of many languages ranks it, and no reader of English does."""
        weighted = {query: 1.0, **(wordings.beside if wordings is not None else {})}
        favoured = frozenset(wordings.favoured) if wordings is not None else frozenset[str]()
        k = self._settings.dense_k
        lists = [
            (weight, await abroad.hits(text, k, filters, lambda words: self._keyword(words, filters)))
            for text, weight in weighted.items()
        ]
        hits, cosines = together(lists, favoured), await abroad.cosines(query)
        discussed, hits = self._beside(hits, wordings, cosines, filters), self._trust.hits(hits)
        read = await self._reader.read(query, hits, cosines, discussed, floor=abroad.floor(query))
        return self._evidence(query, hits, self._trust.sections(read))

    def _evidence(self, query: str, hits: Sequence[Hit], sections: Sequence[Candidate]) -> Evidence:
        ranked = self._per_article(reordered(hits, sections))[: self._settings.top_k]
        return Evidence(
            query,
            self._whole(ranked, sections),
            dict(sections[0].signals) if sections else {},
            unlisted=self._codes.unlisted(query),
            sections=sections,
        )

    def _whole(self, ranked: Sequence[Hit], sections: Sequence[Candidate]) -> list[Hit]:
        """With the passages that the likeliest sections need to be whole, behind the ranked ones."""
        held = {hit.passage.id for hit in ranked}
        missing = {
            passage_id: one.probability
            for one in sections
            for passage_id in (*one.section.passage_ids, one.cited)
            if passage_id not in held
        }
        rest = [
            Hit(self._snapshot.by_id[passage_id], final=final, neighbour=True) for passage_id, final in missing.items()
        ]
        return [*ranked, *rest]

    def _beside(
        self, hits: Sequence[Hit], wordings: Wordings | None, cosines: Vectors, filters: Filters
    ) -> Sequence[Passage]:
        """What is read however it ranks: what the conversation is about, and what is in the place of what was found."""
        favoured = wordings.favoured if wordings is not None else ()
        newer = self._nearest(self._trust.replacing(hits), cosines, filters, REPLACING)
        return [*self._nearest(favoured, cosines, filters, DISCUSSED), *newer]

    def _nearest(self, articles: Sequence[str], cosines: Vectors, filters: Filters, most: int) -> Sequence[Passage]:
        """The passages of `articles` that are nearest to the query."""
        held = self._snapshot
        rows = [
            row for article in articles for row in held.rows.get(article, ()) if selected(held.passages[row], filters)
        ]
        nearest = sorted(rows, key=lambda row: -float(cosines[row]))[:most]
        return [self._snapshot.passages[row] for row in nearest]

    async def _search_together(self, text: str, wordings: Wordings, filters: Filters) -> list[Hit]:
        """Search for every wording; a passage's fused score is the weighted mean over them."""
        weighted = {text: 1.0, **wordings.beside}
        embeddings = await self._embedder.submit(list(weighted))
        lists = [
            (weight, await asyncio.to_thread(self._search, wording, embedding, filters))
            for (wording, weight), embedding in zip(weighted.items(), embeddings, strict=True)
        ]
        return together(lists, frozenset(wordings.favoured))

    def _search(self, query: str, embedding: Vectors, filters: Filters) -> list[Hit]:
        if self._adapt is not None:
            embedding = self._adapt(embedding)
        held = self._snapshot
        found = self._dense(embedding, self._settings.dense_k, filters, held.audience)
        dense = {i: cosine for i, cosine in found if i in held.by_id}
        keyword = self._keyword(query, filters)
        fused = fuse(dense, keyword, self._dense_weight(query), self._snapshot.noise_floor)
        if fused and self._settings.article_weight:
            owner = {i: self._snapshot.by_id[i].article_id for i in fused}
            cosines = self._snapshot.cosines(embedding)
            fit = self._articles.scores(query, embedding, cosines, set(owner.values()))
            fused = lean(fused, {i: fit[article] for i, article in owner.items()}, self._settings.article_weight)
        hits = [
            Hit(
                self._snapshot.by_id[i],
                dense.get(i, 0.0),
                keyword.get(i, 0.0),
                fused=score,
                final=score,
            )
            for i, score in fused.items()
        ]
        return sorted(hits, key=lambda hit: (-hit.fused, hit.passage.id))

    def _dense_weight(self, query: str) -> float:
        exact = exact_terms(query, self._snapshot.vocabulary, self._snapshot.stemming)
        return min(self._settings.dense_weight, DENSE_WEIGHT) if exact else self._settings.dense_weight

    def _keyword(self, query: str, filters: Filters) -> dict[str, float]:
        if self._settings.keyword_k == 0:
            return {}
        scores = self._snapshot.keyword_scores(query)
        best: dict[str, float] = {}
        for index in np.argsort(-scores, kind="stable"):
            if scores[index] <= 0 or len(best) == self._settings.keyword_k:
                break
            passage = self._snapshot.passages[index]
            if selected(passage, filters):
                best[passage.id] = float(scores[index])
        return best

    def _per_article(self, hits: Sequence[Hit]) -> list[Hit]:
        kept: list[Hit] = []
        count: dict[str, int] = {}
        for hit in hits:
            article = hit.passage.article_id
            if count.get(article, 0) < self._settings.max_per_article:
                kept.append(hit)
                count[article] = count.get(article, 0) + 1
        return kept


def _plain(text: str) -> str:
    return without_trailer(without_courtesies(text))


async def _scored(scorer: Batcher[str, MessageScores] | None, texts: Sequence[str]) -> Sequence[MessageScores | None]:
    """None each where nothing hears, or it has too much to do: the label can be told without."""
    try:
        return await scorer.submit(texts) if scorer is not None and texts else [None] * len(texts)
    except RetryableError:
        return [None] * len(texts)


def _with_pieces(whole: Understood | None, further: Sequence[MessageScores | None]) -> Understood | None:
    """Despair counts wherever in a long message it is; a person is asked for by the message as a whole."""
    if whole is None:
        return None
    pieces = [said.understood for said in further if said is not None and said.understood is not None]
    return replace(whole, crisis=max([whole.crisis, *(piece.crisis for piece in pieces)]))
