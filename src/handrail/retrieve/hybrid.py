"""Dense and keyword search side by side, fused, reranked, limited per article, with neighbours."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from handrail.courtesies import without_courtesies, without_trailer
from handrail.errors import RetryableError
from handrail.gloss import otherwise_than_in_english
from handrail.local_models.batching import Batcher
from handrail.retrieve.answers import reading_signals
from handrail.retrieve.articles import ArticleFit
from handrail.retrieve.codes import ListedCodes
from handrail.retrieve.everyday import EverydayWords
from handrail.retrieve.exact import DENSE_WEIGHT, exact_terms
from handrail.retrieve.fusion import fuse, lean, together
from handrail.retrieve.late import LateInteraction
from handrail.retrieve.names import without_names
from handrail.retrieve.rerank import CrossEncoderRerank
from handrail.retrieve.signals import measure
from handrail.retrieve.spelling import Spelling
from handrail.retrieve.topic import TopicProbe
from handrail.sentences import parts, pieces
from handrail.settings import Retrieval
from handrail.stores.audience import Audience, selected
from handrail.stores.snapshot import Snapshot
from handrail.types import Evidence, Heard, Hit, Probe, Reading, Understood, Vectors

PIECE = 160
"""Characters of the pieces of a longer message that are heard one by one: an encoder hears some sixty words."""
TEXTS_KEPT = 64
"""Messages whose mended text is kept: a turn asks for it several times."""
DenseSearch = Callable[[Vectors, int, Mapping[str, str], Audience], list[tuple[str, float]]]
"""`(vector, k, filters, audience)` to `(passage id, cosine)`, best first."""


class HybridRetriever:
    def __init__(
        self,
        snapshot: Snapshot,
        dense: DenseSearch,
        embedder: Batcher[str, Vectors],
        reranker: CrossEncoderRerank | None,
        settings: Retrieval,
        covers: Vectors | None,
        adapt: Callable[[Vectors], Vectors] | None = None,
        spelling: Spelling | None = None,
        late: LateInteraction | None = None,
        everyday: EverydayWords | None = None,
        hear: Batcher[str, Heard] | None = None,
        interpret: Callable[[str], str] | None = None,
        hear_foreign: Batcher[str, Heard] | None = None,
    ) -> None:
        """Finds what the audience of `snapshot` may read, and nothing else.

        `adapt` moves a query's embedding before the search; the probe is of the unmoved embedding.

        `hear` gives what a probe says beside it of a message's label; `interpret` reads other languages in English.
        `hear_foreign` hears a message in any language as it is written.
        """
        self._snapshot = snapshot
        self._dense = dense
        self._embedder = embedder
        self._reranker = reranker
        self._settings = settings
        self._adapt = adapt
        self._spelling = spelling
        self._late = late
        self._everyday = everyday
        self._hear = hear
        self._interpret = interpret
        self._hear_foreign = hear_foreign
        self._mended = lru_cache(maxsize=TEXTS_KEPT)(self._mend)
        self._codes = ListedCodes(snapshot.passages)
        self._topic = TopicProbe(snapshot, covers)
        self._articles = ArticleFit(snapshot, settings.article_keyword_weight)

    def foresee(self, text: str) -> None:
        """Begin to read a message that is about to be asked about, while its turn is still being prepared."""
        plain = self._plain(text)
        self._embedder.foresee(plain)
        if self._hear is not None:
            self._hear.foresee(plain)
        if self._late is not None:
            self._late.foresee(plain)
        if self._hear_foreign is not None:
            self._hear_foreign.foresee(text.strip())

    async def probe(self, text: str) -> Probe:
        said, plain = without_courtesies(text), self._plain(text)
        hear, long = (self._hear, plain) if self._hear_foreign is None else (self._hear_foreign, said)
        # Labels were learnt without courtesies; what a message does may be in nothing else ("no thanks").
        texts = [text.strip(), *([said] if otherwise_than_in_english(said, self._interpret) else [])]
        (probe,), (own, *labelled), further = await asyncio.gather(
            self._probes([plain]), _heard(self._hear_foreign, texts), _heard(hear, pieces(long, PIECE))
        )
        foreign = next((found.labels for found in labelled if found is not None), None)
        whole = own.understood if own is not None else probe.understood
        return replace(probe, foreign=foreign, understood=_with_pieces(whole, further))

    async def sentences(self, text: str) -> dict[str, Probe]:
        """Of a message of several sentences: each with a probe of its own, in order."""
        found = parts(self._plain(text))
        return dict(zip(found, await self._probes(found), strict=True)) if found else {}

    async def _probes(self, texts: Sequence[str]) -> list[Probe]:
        embeddings, heard = await asyncio.gather(self._embedder.submit(texts), _heard(self._hear, texts))
        return [
            Probe(
                embedding,
                self._topic.features(text, embedding),
                said.labels if said is not None else None,
                understood=said.understood if said is not None else None,
            )
            for text, embedding, said in zip(texts, embeddings, heard, strict=True)
        ]

    def _plain(self, text: str) -> str:
        return self._mended(without_trailer(without_courtesies(text)))

    async def retrieve(
        self, query: str, filters: Mapping[str, str], probe: Probe | None = None, reading: Reading | None = None
    ) -> Evidence:
        plain = self._plain(query)
        query = without_names(plain, self._snapshot.knows)
        probe = probe if query == plain else None
        if self._late is not None:
            self._late.foresee(query)
        embedding = probe.embedding if probe is not None else (await self._embedder.submit([query]))[0]
        if reading is not None and reading.depends:
            hits = await self._search_together(replace(reading, text=query), filters)
        else:
            hits = await asyncio.to_thread(self._search, query, embedding, filters)
        if self._late is not None:
            hits = await self._late.lean(query, hits)
        return await self.ranked(query, hits, embedding)

    def _mend(self, text: str) -> str:
        text = self._interpret(text) if self._interpret is not None else text
        text = self._spelling.mended(text) if self._spelling is not None else text
        return self._everyday.read(text) if self._everyday is not None else text

    async def ranked(self, query: str, hits: Sequence[Hit], embedding: Vectors | None = None) -> Evidence:
        """`hits`, best fused first, scored by the cross-encoder, cut to size, with neighbours and signals."""
        if self._reranker is not None:
            hits = await self._reranker.rerank(query, hits)
        ranked = self._per_article(hits)[: self._settings.top_k]
        embedding = embedding if embedding is not None else (await self._embedder.submit([query]))[0]
        signals = measure(query, ranked, self._snapshot, self._snapshot.cosines(embedding)) | reading_signals(ranked)
        return Evidence(query, self._with_neighbours(ranked), signals, unlisted=self._codes.unlisted(query))

    async def _search_together(self, reading: Reading, filters: Mapping[str, str]) -> list[Hit]:
        """Search for every wording of `reading`; a passage's fused score is the weighted mean over the wordings."""
        read = self._interpret or str
        wordings = {reading.text: 1.0, **{read(text): weight for text, weight in reading.beside.items()}}
        embeddings = await self._embedder.submit(list(wordings))
        lists = [
            (weight, await asyncio.to_thread(self._search, text, embedding, filters))
            for (text, weight), embedding in zip(wordings.items(), embeddings, strict=True)
        ]
        return together(lists, frozenset(reading.favoured))

    def _search(self, query: str, embedding: Vectors, filters: Mapping[str, str]) -> list[Hit]:
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

    def _keyword(self, query: str, filters: Mapping[str, str]) -> dict[str, float]:
        if self._settings.keyword_k == 0:
            return {}
        scores = self._snapshot.keyword_scores(query)
        best: dict[str, float] = {}
        for index in np.argsort(-scores, kind="stable"):
            if scores[index] <= 0 or len(best) == self._settings.keyword_k:
                break
            passage = self._snapshot.passages[index]
            if selected(passage.facets, filters):
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

    def _with_neighbours(self, ranked: Sequence[Hit]) -> list[Hit]:
        """Neighbours of the best two hits, as passages of their own behind all ranked ones."""
        seen = {hit.passage.id for hit in ranked}
        out = list(ranked)
        for hit in ranked[:2]:
            for passage in self._snapshot.neighbours(hit.passage, self._settings.neighbours):
                if passage.id not in seen:
                    seen.add(passage.id)
                    out.append(replace(Hit(passage, neighbour=True), final=hit.final * 0.9))
        return out


async def _heard(hear: Batcher[str, Heard] | None, texts: Sequence[str]) -> Sequence[Heard | None]:
    """None each where nothing hears, or it has too much to do: the label can be told without."""
    try:
        return await hear.submit(texts) if hear is not None and texts else [None] * len(texts)
    except RetryableError:
        return [None] * len(texts)


def _with_pieces(whole: Understood | None, further: Sequence[Heard | None]) -> Understood | None:
    """Despair counts wherever in a long message it is; a person is asked for by the message as a whole."""
    if whole is None:
        return None
    pieces = [said.understood for said in further if said is not None and said.understood is not None]
    return replace(whole, crisis=max([whole.crisis, *(piece.crisis for piece in pieces)]))
