"""Knowledge bases that messages are held against, and embeddings kept between runs."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from handrail.assembly import index_folder, read_snapshot
from handrail.assembly.models import queries_of
from handrail.models import Embedder
from handrail.models.embedding import Embedding, States
from handrail.retrieve.topic import TopicProbe
from handrail.settings import Settings
from handrail.stores import snapshot as snapshots
from handrail.stores.chroma import ChromaStore, connect
from handrail.text.courtesies import without_courtesies
from handrail.text.sentences import parts
from handrail.types import Passage, Probe, Vectors
from training.classifier.rows import Company

BATCH = 64
KEPT_EVERY = 100
"""Batches."""


class CachedEmbedder:
    """Query embeddings, with what is shown on the way to them, kept in one file, since most of a training run's time is
    spent on them. What was embedded is written as it goes, so that a run that was cut off goes on from there.
    """

    def __init__(self, embedder: Embedder, cache: Path | None) -> None:
        self._embedder = embedder
        self._ask = queries_of(embedder)
        self._path = cache
        self._kept: dict[str, States] = {}
        if cache is not None and cache.is_file():
            with np.load(cache, allow_pickle=False) as stored:
                self._kept = dict(zip(stored["keys"].tolist(), stored["vectors"], strict=True))

    @property
    def name(self) -> str:
        return self._embedder.name

    def queries(self, texts: Sequence[str]) -> list[Vectors]:
        """An Embedding each, where the embedder shows states."""
        keys = [self._key(text) for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._kept}
        todo = sorted(missing.items(), key=lambda item: len(item[1]))
        for number, start in enumerate(range(0, len(todo), BATCH), 1):
            batch = todo[start : start + BATCH]
            for (key, _), found in zip(batch, self._ask([text for _, text in batch]), strict=True):
                shown = found.states if isinstance(found, Embedding) else None
                self._kept[key] = np.concatenate([found] if shown is None else [found, shown]).astype(np.float16)
            if number % KEPT_EVERY == 0:
                self._save()
        if missing:
            self._save()
        return [self._read(self._kept[key]) for key in keys]

    def _read(self, kept: States) -> Vectors:
        size = self._embedder.dimensions
        return Embedding(kept[:size].astype(np.float32), kept[size:] if len(kept) > size else None)

    def passages(self, texts: Sequence[str]) -> Vectors:
        return self._embedder.embed_passages(texts)

    def _key(self, text: str) -> str:
        return hashlib.sha256(f"{self.name}, with states\n{text}".encode()).hexdigest()[:24]

    def _save(self) -> None:
        if self._path is not None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            kept = self._path.with_suffix(".new.npz")
            np.savez(kept, keys=np.asarray(list(self._kept)), vectors=np.stack(list(self._kept.values())))
            kept.replace(self._path)


def company_base(company: Company, embedder: CachedEmbedder) -> TopicProbe:
    """A base of one short passage an article."""
    passages = [
        Passage(f"{n}/0", str(n), 0, article["title"], (), article.get("text", ""), "", 0)
        for n, article in enumerate(company.articles)
    ]
    vectors = embedder.passages([passage.embedding_text for passage in passages])
    return TopicProbe(snapshots.Snapshot(passages, None, vectors, vectors), covers_vector(company.covers, embedder))


def indexed_base(settings: Settings, kb: str, covers: str, embedder: CachedEmbedder) -> TopicProbe:
    """A base that `handrail ingest` built."""
    store = ChromaStore(connect(index_folder(settings, kb), settings.storage.chroma_url), kb, embedder.name)
    store.open()
    return TopicProbe(read_snapshot(settings, store), covers_vector(covers, embedder))


Score = Callable[[Sequence[str]], Sequence[Vectors]]


def probe(text: str, base: TopicProbe, embedder: CachedEmbedder, score: Score | None) -> Probe:
    """As `HybridRetriever.probe`."""
    texts = [text := without_courtesies(text), *parts(text)]
    scores = score(texts) if score is not None else [None] * len(texts)
    whole, *rest = (
        Probe(embedding, base.features(of, embedding), label)
        for of, embedding, label in zip(texts, embedder.queries(texts), scores, strict=True)
    )
    return replace(whole, parts=dict(zip(texts[1:], rest, strict=True)))


def covers_vector(covers: str, embedder: CachedEmbedder) -> Vectors | None:
    return embedder.passages([covers])[0] if covers else None


def names(companies: Mapping[str, Company]) -> dict[str, str]:
    return {company.id: company.name for company in companies.values()}
