"""Local encoders and rerankers: fetched once, checked by hash, run in bounded threads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from handrail.types import Vectors


class Embedder(Protocol):
    name: str
    dimensions: int

    def count(self, text: str) -> int:
        """Number of tokens of `text`, special tokens left out."""
        ...

    def words(self) -> Sequence[str]:
        """Lower-case words that its tokenizer has whole, in the order of its vocabulary: the commonest first."""
        ...

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """`(n, d)` float32, L2-normalised."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """`(n, d)` float32, L2-normalised."""
        ...


class Logit(float):
    """A cross-encoder's score of a pair; higher is more relevant."""

    reading: float | None
    """Log-odds that the passage answers the query, as read on the way up; None where nothing was."""

    def __new__(cls, value: float, reading: float | None = None) -> Logit:
        made = super().__new__(cls, value)
        made.reading = reading
        return made


class Reranker(Protocol):
    name: str

    def score(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float] | NDArray[np.float32]:
        """A raw logit for each (query, passage) pair; a Logit where something is read on the way."""
        ...
