"""What the local head reads of a message: its embedding, character n-grams, and how near the articles are."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from handrail.types import Vectors

BUCKETS = 1 << 15
EMBEDDING_SCALE = 4.0
NGRAM_SCALE = 4.0
LONGEST = 1200
"""Characters read; the start and the end of a longer message say what it wants."""
TOPIC = ("passage_top", "article_top", "article_mean5", "covers", "known")


def shorten(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    half = LONGEST // 2
    return f"{text[:half]} {text[-half:]}"


def ngrams(text: str) -> tuple[NDArray[np.intp], Vectors]:
    """Bucket numbers and L2-normalised weights of hashed words, word pairs and character n-grams of 3 to 5 in words.

    Digits become one symbol and case is folded, so that neither numbers nor shouting can carry a label.
    """
    folded = re.sub(r"\d", "0", shorten(text).casefold())
    words = re.findall(r"\w+(?:['’]\w+)?|[!?]", folded)
    counts: dict[int, float] = {}
    for first, second in zip(words, [*words[1:], "$"], strict=False):
        _add(counts, f" {first} ", 2.0)
        _add(counts, f" {first} {second} ", 2.0)
        for gram in _within(f" {first} "):
            _add(counts, gram, 1.0)
    indices = np.fromiter(counts.keys(), dtype=np.intp, count=len(counts))
    weights = np.log1p(np.fromiter(counts.values(), dtype=np.float32, count=len(counts)))
    return indices, (weights / max(float(np.linalg.norm(weights)), 1e-12)).astype(np.float32)


def topic_row(topic: Mapping[str, float], means: Vectors, scales: Vectors) -> Vectors:
    """`(len(TOPIC),)` standardised; a missing feature counts as its training mean."""
    near = np.asarray([topic.get(name, means[i]) for i, name in enumerate(TOPIC)], dtype=np.float32)
    return (near - means) / scales


def _within(padded: str) -> Iterator[str]:
    for size in (3, 4, 5):
        for start in range(len(padded) - size + 1):
            yield padded[start : start + size]


def _add(counts: dict[int, float], gram: str, weight: float) -> None:
    bucket = zlib.crc32(gram.encode()) % BUCKETS
    counts[bucket] = counts.get(bucket, 0.0) + weight
