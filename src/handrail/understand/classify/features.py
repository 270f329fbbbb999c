"""What the local head reads of a message: embedding, n-grams, its skeleton of cues, and how near the articles are."""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from handrail.models.embedding import Embedding
from handrail.types import Vectors
from handrail.understand.classify import cues

BUCKETS = 1 << 15
PATTERNS = 1 << 14
HIDDEN_PATTERNS = 1 << 10
"""Buckets of patterns that the hidden layer reads; the linear part has them all."""
EMBEDDING_SCALE = 6.0
NGRAM_SCALE = 4.0
PATTERN_SCALE = 6.0
HIDDEN_EMBEDDING_SCALE = 20.0
"""Brings a coordinate of a unit vector of some hundred dimensions to about one."""
HIDDEN_PATTERN_SCALE = 8.0
FURTHEST = 4.0
"""Standard deviations at which the hidden layer stops telling nearness apart."""
COMPANY = "ourcompany"
"""Stands for the company's own name, so that what is learned about one company holds for another."""
LONGEST, LONGEST_ENCODED = 1200, 400
"""Characters read, and heard by the encoder; the start and the end of a longer message say what it wants."""
TOPIC = ("passage_top", "article_top", "article_mean5", "covers", "known", "article_z")
SHAPE = ("mashed", "content", "length")
DENSE = len(TOPIC) + len(SHAPE)


def shorten(text: str, most: int = LONGEST) -> str:
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]} {text[-half:]}"


def encoder_text(text: str, name: str = "") -> str:
    """As an encoder was taught to hear it: short enough, and without the company's own name."""
    known = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "our company", text, flags=re.IGNORECASE) if name else text
    return shorten(known, LONGEST_ENCODED)


@dataclass(frozen=True, slots=True)
class Sparse:
    """Bucket numbers, each once, and L2-normalised weights."""

    buckets: NDArray[np.intp]
    values: Vectors


def fold(text: str, name: str = "") -> str:
    """Short enough, without case, digits or the company's own name: none of these may carry a label."""
    folded = re.sub(r"\d", "0", shorten(text).casefold())
    return folded.replace(name.casefold(), COMPANY) if name else folded


def ngrams(folded: str) -> Sparse:
    """Hashed words, word pairs and character n-grams of 3 to 5 in words."""
    words = re.findall(r"\w+(?:['’]\w+)?|[!?]", folded)
    pairs = [_bucket(f" {first} {second} ", BUCKETS) for first, second in zip(words, [*words[1:], "$"], strict=False)]
    inside = [_of_word(word) for word in words]
    buckets = np.concatenate([np.asarray(pairs, dtype=np.intp), *(found for found, _ in inside)])
    weights = np.concatenate([np.full(len(pairs), 2.0), *(weight for _, weight in inside)])
    return _sparse(buckets, weights)


def patterns(read: Sequence[str]) -> Sparse:
    """Hashed runs and pairs of a message's skeleton."""
    found = [(_bucket(pattern, PATTERNS), weight) for pattern, weight in cues.patterns(read)]
    return _sparse(np.asarray([bucket for bucket, _ in found], dtype=np.intp), np.asarray([w for _, w in found]))


def dense_row(topic: Mapping[str, float], read: Sequence[str]) -> Vectors:
    """`(DENSE,)` unscaled; NaN where the probe does not say."""
    shape = {**cues.shares(read), "length": math.log1p(len(read))}
    near = [topic.get(name, math.nan) for name in TOPIC]
    return np.asarray([*near, *(shape[name] for name in SHAPE)], dtype=np.float32)


def standardised(dense: Vectors, means: Vectors, scales: Vectors) -> Vectors:
    """A missing feature counts as its training mean."""
    return (np.where(np.isnan(dense), means, dense) - means) / scales


def standardised_states(embedding: Vectors, means: Vectors, scales: Vectors) -> Vectors:
    """What an Embedding shows of the encoder's lower layers; zeros where it shows nothing."""
    states = embedding.states if isinstance(embedding, Embedding) else None
    if states is None or not len(means):
        return np.zeros_like(means)
    found: Vectors = ((states - means) / scales).clip(-FURTHEST, FURTHEST)
    return found


def _sparse(buckets: NDArray[np.intp], counts: NDArray[np.float64]) -> Sparse:
    unique, where = np.unique(buckets, return_inverse=True)
    weights = np.log1p(np.bincount(where, weights=counts, minlength=len(unique)).astype(np.float32))
    return Sparse(unique, (weights / max(float(np.linalg.norm(weights)), 1e-12)).astype(np.float32))


@lru_cache(maxsize=16384)
def _of_word(word: str) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Buckets and weights of a word and of the n-grams in it."""
    padded = f" {word} "
    grams = [padded[at : at + size] for size in (3, 4, 5) for at in range(len(padded) - size + 1)]
    buckets = [_bucket(gram, BUCKETS) for gram in (padded, *grams)]
    return np.asarray(buckets, dtype=np.intp), np.asarray([2.0, *(1.0 for _ in grams)])


@lru_cache(maxsize=32768)
def _bucket(gram: str, size: int) -> int:
    return zlib.crc32(gram.encode()) % size
