"""Articles, a small real embedder and a store on disk for tests of ingest."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from handrail.knowledge import Article, Loader, Rejected, Unpublished
from handrail.knowledge.chunker import Chunker
from handrail.knowledge.ingest import Ingest, Report
from handrail.settings import Knowledge
from handrail.stores.chroma import ChromaStore
from handrail.stores.chroma_client import connect
from handrail.types import Vectors


def count(text: str) -> int:
    """Words, and punctuation marks on their own: additive over joined texts, as WordPiece is."""
    return len(re.findall(r"\w+|[^\w\s]", text))


def chunker(**settings: int | bool) -> Chunker:
    return Chunker(Knowledge.model_validate(settings), count)


def article(body: str, id_: str = "guide", title: str = "Guide", url: str = "https://help.example/guide") -> Article:
    return Article(id_, title, body, url)


class HashedWords:
    """Words hashed into 32 dimensions; keeps the texts it was given."""

    dimensions = 32

    def __init__(self) -> None:
        self.seen: list[str] = []

    def __call__(self, texts: Sequence[str]) -> Vectors:
        self.seen += texts
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in re.findall(r"\w+", text.lower()):
                row[hashlib.sha256(word.encode()).digest()[0] % self.dimensions] += 1
        normed: Vectors = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
        return normed


class Given:
    """A loader of what it is given."""

    def __init__(self, *items: Article | Rejected | Unpublished) -> None:
        self._items = items

    def articles(self) -> Iterator[Article | Rejected | Unpublished]:
        yield from self._items


class Index:
    """One knowledge base on disk, or on the server at `url`, run again and again."""

    def __init__(self, folder: Path, url: str | None = None) -> None:
        self.store = ChromaStore(connect(folder, url), "acme", "hashed-words")
        self.store.create()
        self.embed = HashedWords()

    def run(self, *loaders: Loader, keep_others: bool = False, embed: HashedWords | None = None) -> Report:
        job = Ingest(self.store, chunker(), embed or self.embed, lambda: 0.0, keep_others=keep_others)
        return job.run(loaders, lambda done, total: None)

    def ids(self) -> list[str]:
        return [passage.id for passage in self.store.dump()[0]]
