"""Articles and vectors that are generated, alike in what matters to an index.

Vectors of texts are neither noise nor a few round clusters: the more is written about the same things, the nearer is
the nearest. bge-small-en-v1.5 gives 2,500 passages of the articles in `eval/datasets` a median cosine of 0.53 between
any two, 0.77 to the nearest, 0.71 to the tenth and 0.67 to the fiftieth: the number of neighbours grows as the 23rd
power of the distance (intrinsic dimension, Levina and Bickel 2004). So vectors are leaves of a tree in which every
branch has eight: passages of an article, articles of a topic, topics of an area, and so on. Two that part one level
further down are nearer by the factor that this power gives. It is assumed to hold in larger knowledge bases.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handrail.knowledge import Article
from handrail.types import Passage, Vectors

WIDTH, PER_ARTICLE, SECTIONS = 384, 8, 100
UNRELATED, DIMENSION = 0.53, 23
"""Cosine of any two passages, and the power that neighbours grow with."""
DECAY = 0.35
"""Of the share of a direction with its rank, so that variance is spread over as many directions as the encoder's."""
WORDS, VOCABULARY = 60, 30_000
BLOCK = 1000
SEED = 5


class Generated:
    """`count` passages, always the same."""

    def __init__(self, count: int) -> None:
        self.count = count
        spread = (1.0 + np.arange(WIDTH)) ** -DECAY
        self._spread = (spread / np.linalg.norm(spread)).astype(np.float32)
        self._lengths = lengths(count)
        self._common = np.zeros(WIDTH, dtype=np.float32)
        self._common[-1] = np.sqrt(UNRELATED)
        self._topics = self._tree(-(-count // PER_ARTICLE**2))

    def _tree(self, topics: int) -> Vectors:
        """What all passages of each topic have, `(topics, 384)`."""
        found = np.zeros((topics, WIDTH), dtype=np.float32)
        for level, length in enumerate(self._lengths[2:]):
            own = np.arange(topics) // PER_ARTICLE**level
            found += length * self._drawn(_random(0, level), int(own[-1]) + 1)[own]
        return found

    def vectors(self) -> Iterator[Vectors]:
        """In blocks of up to `BLOCK` rows, `(n, 384)` float32, L2-normalised."""
        for start in range(0, self.count, BLOCK):
            random = _random(1, start)
            about = self._articles(random, start)
            rows = min(BLOCK, self.count - start)
            yield unit(about.repeat(PER_ARTICLE, axis=0)[:rows] + self._lengths[0] * self._drawn(random, rows))

    def queries(self, count: int) -> Vectors:
        """Each as one more passage of some article would be."""
        random = _random(2)
        starts = random.integers(-(-self.count // BLOCK), size=count) * BLOCK
        blocks = [self._articles(_random(1, start), start) for start in starts.tolist()]
        about = np.stack([block[random.integers(len(block))] for block in blocks])
        return unit(about + self._lengths[0] * self._drawn(random, count))

    def _articles(self, random: np.random.Generator, start: int) -> Vectors:
        """What all passages of each article have, of the block that begins with passage `start`."""
        articles = np.arange(start, min(start + BLOCK, self.count), PER_ARTICLE) // PER_ARTICLE
        own = self._lengths[1] * self._drawn(random, len(articles))
        about: Vectors = self._common + self._topics[articles // PER_ARTICLE] + own
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


def lengths(count: int) -> list[float]:
    """What a passage, its article, its topic and so on add to a vector: the last is of the branches of the root."""
    levels = max(2, math.floor(math.log(count, PER_ARTICLE)))
    shrinking = PER_ARTICLE ** (-2 / DIMENSION)
    cosines = [1 - (1 - UNRELATED) * shrinking**level for level in range(levels)]
    return [math.sqrt(nearer - other) for other, nearer in zip(cosines, [*cosines[1:], 1.0], strict=True)][::-1]


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
