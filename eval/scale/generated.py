"""Articles and vectors that are generated, alike in what matters to an index.

Vectors of unrelated texts are far from orthogonal, those of one topic lie near each other, and those of one article
nearer still. Their lengths are fitted to what bge-small-en-v1.5 gives for the articles in `eval/datasets`: a median
cosine of 0.53 between any two passages and of 0.77 to the nearest one. (Of independent directions the nearest would be
at 0.25, and no index could find it without comparing nearly all.)
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handrail.knowledge import Article
from handrail.types import Passage, Vectors

WIDTH, PER_ARTICLE, PER_TOPIC, SECTIONS = 384, 8, 80, 100
COMMON, TOPIC, ARTICLE, OWN = 1.13, 0.6, 0.35, 0.8
"""Lengths of what all vectors have in common, and of what topic, article and passage add."""
DECAY = 0.35
"""Of the share of a direction with its rank, which gives 85 effective dimensions of 384 (measured: 77)."""
WORDS, VOCABULARY = 60, 30_000
BLOCK = 1000
SEED = 5


class Generated:
    """`count` passages, always the same."""

    def __init__(self, count: int) -> None:
        self.count = count
        spread = (1.0 + np.arange(WIDTH)) ** -DECAY
        self._spread = (spread / np.linalg.norm(spread)).astype(np.float32)
        self._common = np.zeros(WIDTH, dtype=np.float32)
        self._common[-1] = COMMON
        self._topics = TOPIC * self._drawn(_random(0), max(1, count // PER_TOPIC))

    def vectors(self) -> Iterator[Vectors]:
        """In blocks of up to `BLOCK` rows, `(n, 384)` float32, L2-normalised."""
        for start in range(0, self.count, BLOCK):
            random = _random(1, start)
            about = self._articles(random)
            rows = min(BLOCK, self.count - start)
            yield unit(about.repeat(PER_ARTICLE, axis=0)[:rows] + OWN * self._drawn(random, rows))

    def queries(self, count: int) -> Vectors:
        """Each as one more passage of some article would be."""
        random = _random(2)
        starts = random.integers(-(-self.count // BLOCK), size=count)
        about = [
            self._articles(_random(1, int(start) * BLOCK))[random.integers(BLOCK // PER_ARTICLE)] for start in starts
        ]
        return unit(np.stack(about) + OWN * self._drawn(random, count))

    def _articles(self, random: np.random.Generator) -> Vectors:
        """What all passages of each of a block's articles have."""
        articles = BLOCK // PER_ARTICLE
        topics = self._topics[random.integers(len(self._topics), size=articles)]
        about: Vectors = self._common + topics + ARTICLE * self._drawn(random, articles)
        return about

    def _drawn(self, random: np.random.Generator, count: int) -> Vectors:
        drawn: Vectors = random.standard_normal((count, WIDTH), dtype=np.float32) * self._spread
        return drawn

    def passages(self) -> Iterator[list[Passage]]:
        """In the same blocks."""
        for start in range(0, self.count, BLOCK):
            texts = _texts(start)
            yield [passage(row, texts[row - start]) for row in range(start, min(start + BLOCK, self.count))]

    def texts(self) -> Iterator[str]:
        return (one.embedding_text for block in self.passages() for one in block)

    def articles(self) -> Iterator[Article]:
        """The same passages, a section each, as a loader would give them."""
        for block in self.passages():
            for start in range(0, len(block), PER_ARTICLE):
                own = block[start : start + PER_ARTICLE]
                body = "\n\n".join(f"## {one.headings[0]}\n\n{one.text}" for one in own)
                yield Article(own[0].article_id, own[0].title, body, "", own[0].facets)

    def asked(self, count: int) -> list[str]:
        random = _random(3)
        return [words(random, 8) for _ in range(count)]


def passage(row: int, text: str) -> Passage:
    article, position = divmod(row, PER_ARTICLE)
    facets = {"section": f"s{article % SECTIONS}"}
    return Passage(
        id_of(row), f"article-{article:07}", position, f"Article {article}", (f"Part {position}",), text, "", 90, facets
    )


def id_of(row: int) -> str:
    article, position = divmod(row, PER_ARTICLE)
    return f"article-{article:07}/{position}"


def _texts(start: int) -> list[str]:
    found = words(_random(4, start), BLOCK * WORDS).split()
    return [f"{' '.join(found[at : at + WORDS])}." for at in range(0, len(found), WORDS)]


def words(random: np.random.Generator, count: int) -> str:
    """As often as in a language: the nth word one nth as often as the first."""
    ranks = np.searchsorted(_share(), random.random(count, dtype=np.float32))
    return " ".join(f"w{rank}" for rank in ranks.tolist())


@cache
def _share() -> NDArray[np.float32]:
    """Of all words, those up to each rank."""
    often = np.cumsum(1 / np.arange(1, VOCABULARY + 1))
    share: NDArray[np.float32] = (often / often[-1]).astype(np.float32)
    return share


def unit(vectors: NDArray[Any]) -> Vectors:
    normed: Vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return normed


def _random(*of: int) -> np.random.Generator:
    return np.random.default_rng((SEED, *of))
