"""Transformer encoders on ONNX Runtime: length-sorted batches, our own truncation and padding."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from handrail.local_models.manifest import ModelSpec
from handrail.types import Vectors


def session(model: str | bytes, threads: int) -> ort.InferenceSession:
    """Of a file or its content. Threads do not spin between calls: other models share the cores."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])


class OnnxModel:
    """A session and its tokenizer."""

    def __init__(self, folder: Path, threads: int, batch_size: int) -> None:
        self._session = session(str(folder / "model.onnx"), threads)
        self._inputs = {item.name for item in self._session.get_inputs()}
        self._batch_size = batch_size
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()

    def run(self, encodings: Sequence[Encoding]) -> NDArray[np.float32]:
        """First output rows in the order given; sorting by length saves most of the padding."""
        order = np.argsort([len(encoding.ids) for encoding in encodings], kind="stable")[::-1]
        rows: list[NDArray[np.float32] | None] = [None] * len(encodings)
        for batch in batches(order.tolist(), self._batch_size):
            output = self._session.run(None, feed([encodings[i] for i in batch], self._inputs))[0]
            pooled = output[:, 0] if output.ndim == 3 else output
            for row, index in enumerate(batch):
                rows[index] = pooled[row]
        return np.asarray(rows, dtype=np.float32)


def feed(encodings: Sequence[Encoding], inputs: Collection[str]) -> dict[str, NDArray[np.int64]]:
    """Those of a transformer's inputs that are named in `inputs`, each `(batch, longest)`."""
    width = max(len(encoding.ids) for encoding in encodings)
    shape = (len(encodings), width)
    made = {name: np.zeros(shape, dtype=np.int64) for name in ("input_ids", "attention_mask", "token_type_ids")}
    for row, encoding in enumerate(encodings):
        size = len(encoding.ids)
        made["input_ids"][row, :size] = encoding.ids
        made["attention_mask"][row, :size] = 1
        made["token_type_ids"][row, :size] = encoding.type_ids
    return {name: array for name, array in made.items() if name in inputs}


class OnnxEmbedder:
    """A CLS-pooled bi-encoder. Not thread-safe by contract of its users; see `batching`."""

    def __init__(
        self, spec: ModelSpec, folder: Path, *, threads: int, batch_size: int, max_tokens: int, query_tokens: int
    ) -> None:
        self.name = spec.name
        self.dimensions = spec.dimensions
        self._prefix = spec.query_prefix
        self._model = OnnxModel(folder, threads, batch_size)
        self._max_tokens = max_tokens
        self._query_tokens = query_tokens

    def count(self, text: str) -> int:
        return len(self._model.tokenizer.encode(text, add_special_tokens=False).ids)

    def words(self) -> list[str]:
        vocabulary = self._model.tokenizer.get_vocab()
        return sorted((word for word in vocabulary if word.isalpha() and word.islower()), key=vocabulary.__getitem__)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self._embed([self._prefix + text for text in texts], self._query_tokens)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return self._embed(texts, self._max_tokens)

    def _embed(self, texts: Sequence[str], max_tokens: int) -> Vectors:
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        encodings = self._model.tokenizer.encode_batch(list(texts))
        for encoding in encodings:
            encoding.truncate(max_tokens)
        rows = self._model.run(encodings)
        normed: Vectors = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
        return normed


class OnnxReranker:
    """A cross-encoder with one logit per pair. The passage is truncated, the query only when absurdly long."""

    def __init__(
        self, spec: ModelSpec, folder: Path, *, threads: int, batch_size: int, max_tokens: int, query_tokens: int
    ) -> None:
        self.name = spec.name
        self._model = OnnxModel(folder, threads, batch_size)
        self._max_tokens = max_tokens
        self._query_tokens = query_tokens

    def score(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        if not pairs:
            return np.zeros(0, dtype=np.float32)
        encodings = pair_encodings(self._model.tokenizer, pairs, self._max_tokens, self._query_tokens)
        return self._model.run(encodings).reshape(-1)


def pair_encodings(
    tokenizer: Tokenizer, pairs: Sequence[tuple[str, str]], max_tokens: int, query_tokens: int
) -> list[Encoding]:
    """Query and passage in at most `max_tokens`; the passage is truncated, the query only when absurdly long."""
    tokenizer.no_truncation()
    limit = min(query_tokens, max_tokens // 2)
    shortened = {query: _shorten(tokenizer, query, limit) for query, _ in pairs}
    tokenizer.enable_truncation(max_tokens, strategy="only_second")
    encodings: list[Encoding] = tokenizer.encode_batch([(shortened[query], passage) for query, passage in pairs])
    return encodings


def _shorten(tokenizer: Tokenizer, query: str, limit: int) -> str:
    """Cut at a token's end in the original text, so that the passage always has room."""
    offsets = tokenizer.encode(query, add_special_tokens=False).offsets
    return query if len(offsets) <= limit else query[: offsets[limit - 1][1]]


def batches(order: list[int], size: int) -> Iterator[list[int]]:
    for start in range(0, len(order), size):
        yield order[start : start + size]
