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


class Reranker(Protocol):
    name: str

    def score(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """`(n,)` raw logits for (query, passage) pairs; higher is more relevant."""
        ...
