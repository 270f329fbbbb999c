"""Transformer encoders on ONNX Runtime: each text alone, so that nothing is padded and batches change no result."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from handrail.errors import ModelUnavailable
from handrail.models.bert import WORDS, Kept, Source, Weights, written
from handrail.models.manifest import ModelSpec
from handrail.models.packed import SUFFIX, load
from handrail.models.processor import overflows
from handrail.models.tuned import Delta, Tuned
from handrail.types import Vectors

Output = list[NDArray[np.float32]]
SHARED = 10
"""Sessions that are kept for who asks for the same again: as many as one assistant can have loaded."""
EXACT = "session.x64quantprecision"
"""No sum of products of bytes overflows, so that processors without VNNI read the same as others. A tenth to a fifth
slower there; with VNNI, which needs no such care, it would take twice the time (experiment 189)."""


class Tokens(Protocol):
    """A text as a model reads it; a tokenizer's `Encoding` is one."""

    @property
    def ids(self) -> Sequence[int]: ...

    @property
    def attention_mask(self) -> Sequence[int]: ...

    @property
    def type_ids(self) -> Sequence[int]: ...


E = TypeVar("E", bound=Tokens)
R = TypeVar("R")


class OnnxModel:
    """A session and its tokenizer. Each text is run alone, as many at once as there are threads."""

    def __init__(
        self,
        folder: Path,
        threads: int,
        states_of: Collection[int] = (),
        *,
        kept: Kept = Kept.FIRST,
        delta: Delta | None = None,
    ) -> None:
        """`states_of` are layers whose states are wanted beside the result; see `bert.written`. `delta` changes it."""
        self._words: Callable[[Sequence[int]], NDArray[np.float32]] | None = None
        packed = next(iter(folder.glob(f"*{SUFFIX}")), None)
        if packed is not None:
            opened = load(packed)
            self.tokenizer, self._words = opened.tokenizer, opened.weights.words
        else:
            # Of its own: how pairs are cut is kept in it.
            self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        file = packed or folder / "model.onnx"
        written_at = file.stat().st_mtime_ns
        self._session = _shared(file.resolve(), written_at, tuple(states_of), kept, delta)
        self._inputs = {item.name for item in self._session.get_inputs()}
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=folder.name) if threads > 1 else None
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()

    def run(self, encodings: Sequence[Tokens]) -> list[Output]:
        """The graph's outputs for each text, in the order given."""
        return self.each(encodings, lambda encoding, outputs: outputs)

    def each(self, encodings: Sequence[E], then: Callable[[E, Output], R]) -> list[R]:
        """What `then` makes of each text's outputs, in the order given.

        The longest are run first, so that at the end no thread waits long for another.
        """
        if self._threads is None or len(encodings) == 1:
            return [self.one(encoding, then) for encoding in encodings]
        order = longest_first(encodings)
        found = self._threads.map(lambda at: self.one(encodings[at], then), order)
        return [made for _, made in sorted(zip(order, found, strict=True), key=lambda pair: pair[0])]

    def one(self, encoding: E, then: Callable[[E, Output], R]) -> R:
        """What `then` makes of one text's outputs, on the thread that asks."""
        return then(encoding, self._one(encoding))

    def rows(self, encodings: Sequence[Tokens]) -> NDArray[np.float32]:
        """The first output, of the first token: `(texts, outputs)`."""
        return np.asarray([first_token(outputs) for outputs in self.run(encodings)], dtype=np.float32)

    def _one(self, encoding: Tokens) -> Output:
        given = {
            "input_ids": encoding.ids,
            "attention_mask": encoding.attention_mask,
            "token_type_ids": encoding.type_ids,
        }
        feed: dict[str, NDArray[np.generic]] = {
            name: np.array([ids], dtype=np.int64) for name, ids in given.items() if name in self._inputs
        }
        if self._words is not None:
            feed[WORDS] = self._words(encoding.ids)
        outputs: Output = self._session.run(None, feed)
        return outputs


def longest_first(encodings: Sequence[Tokens]) -> list[int]:
    """Places in that order, so that work which ends late begins early."""
    return sorted(range(len(encodings)), key=lambda at: -len(encodings[at].ids))


def first_token(outputs: Output) -> NDArray[np.float32]:
    """The first output of the first token: `(outputs,)`."""
    row = outputs[0]
    found: NDArray[np.float32] = (row[:, 0] if row.ndim == 3 else row)[0]
    return found


@lru_cache(maxsize=SHARED)
def _shared(
    file: Path, written_at: int, states_of: tuple[int, ...], kept: Kept, delta: Delta | None
) -> ort.InferenceSession:
    """One for all who ask for the same graph of a file, as it was written then; any number of threads may run it."""
    if file.name.endswith(SUFFIX):
        return _session(load(file).graph(kept if delta else Kept.MEAN, delta, states_of))
    return _session(_read(file, states_of, kept, delta))


def _read(file: Path, states_of: Collection[int], kept: Kept, delta: Delta | None) -> bytes:
    """A graph with less work; one that is not known is left as it is."""
    model = file.read_bytes()
    try:
        source: Source = Weights(model)
        return written(Tuned(source, delta) if delta else source, states_of, kept)
    except (KeyError, ValueError):
        if states_of or delta:
            raise ModelUnavailable(f"{file}: can't read hidden states from this graph") from None
    return model


def _session(model: bytes) -> ort.InferenceSession:
    """On one thread: texts run side by side instead."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    if overflows():
        options.add_session_config_entry(EXACT, "1")
    session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    session._model_bytes = None  # else held for as long as the session, which has its own copy
    return session


class OnnxEmbedder:
    """A bi-encoder. Not thread-safe by contract of its users; see `batching`."""

    def __init__(self, spec: ModelSpec, folder: Path, *, threads: int, max_tokens: int, query_tokens: int) -> None:
        self.name = spec.name
        self.dimensions = spec.dimensions
        self._prefix = spec.query_prefix
        self._passage_prefix = spec.passage_prefix
        self._model = OnnxModel(folder, threads)
        self._max_tokens = max_tokens
        self._query_tokens = query_tokens

    def count(self, text: str) -> int:
        return len(self._model.tokenizer.encode(text, add_special_tokens=False).ids)

    def words(self) -> list[str]:
        vocabulary = self._model.tokenizer.get_vocab()
        begins = "▁" if "▁the" in vocabulary else ""
        whole = {piece.removeprefix(begins): at for piece, at in vocabulary.items() if piece.startswith(begins)}
        return sorted((word for word in whole if word.isalpha() and word.islower()), key=whole.__getitem__)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self._embed([self._prefix + text for text in texts], self._query_tokens)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return self._embed([self._passage_prefix + text for text in texts], self._max_tokens)

    def _embed(self, texts: Sequence[str], max_tokens: int) -> Vectors:
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        return normed(self._model.rows(self._encoded(texts, max_tokens)))

    def _encoded(self, texts: Sequence[str], max_tokens: int) -> list[Encoding]:
        encodings: list[Encoding] = self._model.tokenizer.encode_batch(list(texts))
        for encoding in encodings:
            encoding.truncate(max_tokens)
        return encodings


def normed(rows: NDArray[np.float32]) -> Vectors:
    """Each row scaled to the length 1."""
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12), dtype=np.float32)


class OnnxReranker:
    """A cross-encoder with one logit per pair. The passage is truncated, the query only when absurdly long."""

    def __init__(
        self,
        spec: ModelSpec,
        folder: Path,
        *,
        threads: int,
        max_tokens: int,
        query_tokens: int,
    ) -> None:
        self.name = spec.name
        self._model = OnnxModel(folder, threads)
        self._max_tokens = max_tokens
        self._query_tokens = query_tokens

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        if not pairs:
            return []
        encodings = pair_encodings(self._model.tokenizer, pairs, self._max_tokens, self._query_tokens)
        return self._model.each(encodings, lambda encoding, outputs: outputs[0].item())


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
