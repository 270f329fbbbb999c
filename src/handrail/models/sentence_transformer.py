"""Encoders and cross-encoders of `sentence-transformers`, for GPUs, training and other languages (torch extra)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from handrail.errors import MissingExtra, ModelUnavailable
from handrail.models import hub
from handrail.types import Vectors

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder, SentenceTransformer

Model = TypeVar("Model", "SentenceTransformer", "CrossEncoder")

MEDIA = frozenset({"image", "audio", "video"})

PASSAGE_PROMPTS = ("document", "passage", "corpus")
"""The names there are for it; the library itself stops at `document`, which it makes an empty one."""


class SentenceTransformerEmbedder:
    """`model` is a Hub name or a folder. Its own prompts for queries and for documents are used where it has them.

    Queries are truncated like passages. Raises MissingExtra, or ModelUnavailable when there is no such model.
    """

    def __init__(self, model: str, *, batch_size: int, max_tokens: int) -> None:
        setting = f"models.embedder = 'st:{model}'"
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError:
            raise MissingExtra(setting, "torch") from None
        self._model = _load(SentenceTransformer, model, setting, max_tokens)
        self._batch_size = batch_size
        self.name = f"st:{model}"
        self.dimensions = int(self._model.get_embedding_dimension() or 0)
        prompts = self._model.prompts
        self._passage_prompt = next((name for name in PASSAGE_PROMPTS if prompts.get(name)), None)
        self._quiet = {} if isinstance(self._model.tokenizer, Tokenizer) else {"verbose": False}

    def count(self, text: str) -> int:
        return len(self._model.tokenizer.encode(text, add_special_tokens=False, **self._quiet))

    def words(self) -> list[str]:
        """Pieces that begin a word are marked in some vocabularies, those that go on with one in others."""
        vocabulary = self._model.tokenizer.get_vocab()
        pieces = (piece.lstrip("▁Ġ") for piece in sorted(vocabulary, key=vocabulary.__getitem__) if piece[:2] != "##")
        return list(dict.fromkeys(piece for piece in pieces if piece.isalpha() and piece.islower()))

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self._embed(self._model.encode_query, texts, None)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return self._embed(self._model.encode_document, texts, self._passage_prompt)

    def _embed(self, encode: Callable[..., Any], texts: Sequence[str], prompt: str | None) -> Vectors:
        vectors = encode(
            list(texts),
            prompt_name=prompt,
            batch_size=self._batch_size,
            normalize_embeddings=True,
            show_progress_bar=False,
        )
        return np.asarray(vectors, dtype=np.float32).reshape(len(texts), self.dimensions)


class SentenceTransformerReranker:
    """`model` is a Hub name or a folder, of a cross-encoder with one score per pair.

    Raises MissingExtra, or ModelUnavailable when there is no such model or it was not trained to score pairs.
    """

    def __init__(self, model: str, *, batch_size: int, max_tokens: int) -> None:
        setting = f"models.reranker = 'st:{model}'"
        try:
            from sentence_transformers import CrossEncoder
            from torch.nn import Identity
        except ImportError:
            raise MissingExtra(setting, "torch") from None
        self._model = _load(CrossEncoder, model, setting, max_tokens)
        self._model.activation_fn = Identity()
        if self._model.num_labels != 1 or not _trained_to_score(self._model):
            raise ModelUnavailable(f"{setting} is not a reranker: it has no trained output of one score per pair")
        self._batch_size = batch_size
        self.name = f"st:{model}"

    def score(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        if not pairs:
            return np.zeros(0, dtype=np.float32)
        scores = self._model.predict(list(pairs), batch_size=self._batch_size, show_progress_bar=False)
        return np.asarray(scores, dtype=np.float32).reshape(-1)


def _load(kind: type[Model], name: str, setting: str, max_tokens: int) -> Model:
    try:
        model: Model = kind(name, local_files_only=not Path(name).is_dir() and hub.unavailable())
    except Exception as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise ModelUnavailable(
            f"{setting} could not be loaded: {reason} "
            "(st: takes a folder with a sentence-transformers model, or a name on the Hugging Face Hub)"
        ) from error
    # The library opens a text that is a link or a path when the model reads what it leads to.
    if media := MEDIA.intersection(model.modalities):
        raise ModelUnavailable(f"{setting} also reads {' and '.join(sorted(media))}: choose a text-only model")
    longest = model.max_seq_length
    if longest is not None and max_tokens < longest < math.inf:
        model.max_seq_length = max_tokens
    return model


def _trained_to_score(model: CrossEncoder) -> bool:
    """An encoder loaded as a cross-encoder gets an output layer of random weights, and only a warning tells."""
    if getattr(model[0], "transformer_task", "") != "sequence-classification":
        return True
    names = getattr(model.config, "architectures", None) or ()
    return any(name.endswith("ForSequenceClassification") for name in names)
