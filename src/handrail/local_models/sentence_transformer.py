"""Encoders and cross-encoders of `sentence-transformers`, for GPUs, training and other languages (torch extra)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from handrail.errors import MissingExtra, ModelUnavailable
from handrail.types import Vectors


class SentenceTransformerEmbedder:
    """`model` is a Hub name or a folder. Prompts named `query` and `passage` are used where the model has them."""

    def __init__(self, model: str, *, batch_size: int, max_tokens: int) -> None:
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError:
            raise MissingExtra(f"models.embedder = 'st:{model}'", "torch") from None
        try:
            self._model = SentenceTransformer(model)
        except (OSError, ValueError) as error:
            raise ModelUnavailable(f"models.embedder = 'st:{model}' could not be loaded: {error}") from error
        self._model.max_seq_length = min(max_tokens, self._model.max_seq_length or max_tokens)
        self._batch_size = batch_size
        self.name = f"st:{model}"
        self.dimensions = int(self._model.get_sentence_embedding_dimension() or 0)

    def count(self, text: str) -> int:
        return len(self._model.tokenizer.encode(text, add_special_tokens=False))

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self._embed(texts, "query")

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return self._embed(texts, "passage")

    def _embed(self, texts: Sequence[str], role: str) -> Vectors:
        prompt = role if role in (self._model.prompts or {}) else None
        vectors = self._model.encode(
            list(texts),
            batch_size=self._batch_size,
            prompt_name=prompt,
            normalize_embeddings=True,
            show_progress_bar=False,
        )
        return np.asarray(vectors, dtype=np.float32).reshape(len(texts), self.dimensions)


class SentenceTransformerReranker:
    def __init__(self, model: str, *, batch_size: int, max_tokens: int) -> None:
        try:
            from sentence_transformers import CrossEncoder
            from torch.nn import Identity
        except ImportError:
            raise MissingExtra(f"models.reranker = 'st:{model}'", "torch") from None
        try:
            self._model = CrossEncoder(model, max_length=max_tokens, activation_fn=Identity())
        except (OSError, ValueError) as error:
            raise ModelUnavailable(f"models.reranker = 'st:{model}' could not be loaded: {error}") from error
        self._batch_size = batch_size
        self.name = f"st:{model}"

    def score(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        if not pairs:
            return np.zeros(0, dtype=np.float32)
        scores = self._model.predict(list(pairs), batch_size=self._batch_size, show_progress_bar=False)
        return np.asarray(scores, dtype=np.float32).reshape(-1)
