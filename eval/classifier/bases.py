"""Knowledge bases that messages are held against, and embeddings kept between runs."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from eval.classifier.rows import Company
from handrail.assembly import read_snapshot
from handrail.courtesies import without_courtesies
from handrail.local_models import Embedder
from handrail.retrieve.topic import TopicProbe
from handrail.sentences import parts
from handrail.settings import Settings
from handrail.stores import snapshot as snapshots
from handrail.stores.chroma import ChromaStore, connect
from handrail.types import Passage, Probe, Vectors

BATCH = 64


class CachedEmbedder:
    """Query embeddings kept in one file, since most of a training run's time is spent on them."""

    def __init__(self, embedder: Embedder, cache: Path | None) -> None:
        self._embedder = embedder
        self._path = cache
        self._kept: dict[str, Vectors] = {}
        if cache is not None and cache.is_file():
            with np.load(cache, allow_pickle=False) as stored:
                self._kept = dict(zip(stored["keys"].tolist(), stored["vectors"].astype(np.float32), strict=True))

    @property
    def name(self) -> str:
        return self._embedder.name

    def queries(self, texts: Sequence[str]) -> Vectors:
        """`(n, d)` float32."""
        keys = [self._key(text) for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._kept}
        todo = sorted(missing.items(), key=lambda item: len(item[1]))
        for start in range(0, len(todo), BATCH):
            batch = todo[start : start + BATCH]
            vectors = self._embedder.embed_queries([text for _, text in batch])
            self._kept.update(zip((key for key, _ in batch), vectors, strict=True))
        if missing:
            self._save()
        return np.stack([self._kept[key] for key in keys])

    def passages(self, texts: Sequence[str]) -> Vectors:
        return self._embedder.embed_passages(texts)

    def _key(self, text: str) -> str:
        return hashlib.sha256(f"{self.name}\n{text}".encode()).hexdigest()[:24]

    def _save(self) -> None:
        if self._path is not None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            vectors = np.stack(list(self._kept.values())).astype(np.float16)
            np.savez(self._path, keys=np.asarray(list(self._kept)), vectors=vectors)


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
    store = ChromaStore(connect(settings.storage.data_dir, settings.storage.chroma_url), kb, embedder.name)
    store.open()
    return TopicProbe(read_snapshot(settings, store), covers_vector(covers, embedder))


def probe(text: str, base: TopicProbe, embedder: CachedEmbedder) -> Probe:
    """As `HybridRetriever.probe`, less the mending of slips."""
    texts = [text := without_courtesies(text), *parts(text)]
    whole, *rest = (
        Probe(embedding, base.features(of, embedding))
        for of, embedding in zip(texts, embedder.queries(texts), strict=True)
    )
    return replace(whole, parts=dict(zip(texts[1:], rest, strict=True)))


def covers_vector(covers: str, embedder: CachedEmbedder) -> Vectors | None:
    return embedder.passages([covers])[0] if covers else None


def names(companies: Mapping[str, Company]) -> dict[str, str]:
    return {company.id: company.name for company in companies.values()}
