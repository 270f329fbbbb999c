"""A small knowledge base on disk whose dense search is poor and whose keyword search is good."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from handrail.assembly import Parts
from handrail.models.batching import Batcher
from handrail.stores import snapshot as snapshots
from handrail.stores.chroma import ChromaStore
from handrail.stores.chroma_client import connect
from handrail.stores.version_folders import VersionFolders
from handrail.stores.versions import Opened
from handrail.types import Passage, Vectors
from tests.knowledge.articles import HashedWords
from tests.knowledge.articles import count as count_words

ARTICLES = 70
COMMON = ["order", "refund", "customer", "invoice", "plan", "domain", "booking", "payment", "website", "message"]


def passages(articles: int = ARTICLES) -> list[Passage]:
    """Each article has four words of its own among words that all share."""
    rng = random.Random(3)  # noqa: S311
    made = []
    for number in range(articles):
        own = [f"{stem}{number}x" for stem in ("alpha", "bravo", "delta", "gamma")]
        for position in range(2):
            words = [*rng.sample(COMMON, 6), *own]
            rng.shuffle(words)
            text = f"To {' '.join(words[:5])} open the {' '.join(words[5:])} page."
            article = f"shop:{number}"
            made.append(Passage(f"{article}/{position}", article, position, f"Help {number}", (), text, "", 14, {}))
    return made


def build(folder: Path, articles: int = ARTICLES) -> Parts:
    store = ChromaStore(connect(folder, None), "shop", "hashed-words")
    store.create()
    rows, embed = passages(articles), HashedWords()
    store.write(rows, embed([row.embedding_text for row in rows]), ["d"] * len(rows), [2] * len(rows))
    store.finish("g1")
    return Parts(
        snapshot=snapshots.build(*store.dump()),
        index=Opened(1, store, lambda: None),
        versions=VersionFolders(folder, folder, "shop", "hashed-words"),
        embed=Batcher("embed", embed, 64, 5000),
        read=Batcher("read", indifferent, 64, 5000),
        entails=Batcher("entails", indifferent, 64, 5000),
        message_scorer=None,
        count=count_words,
    )


def indifferent(pairs: Sequence[tuple[str, str]]) -> list[float]:
    return [0.0] * len(pairs)


class Counting:
    """A model that counts what it was asked."""

    def __init__(self) -> None:
        self.asked = 0
        self.texts: set[str] = set()
        self.embed = HashedWords()

    def __call__(self, texts: Sequence[str]) -> Vectors:
        self.asked += len(texts)
        self.texts.update(texts)
        return self.embed(texts)
