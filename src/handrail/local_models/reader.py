"""Whether a passage answers a question: a linear reading of what a cross-encoder thinks halfway up.

Cross-encoders trained on search logs end in "is this about it?"; a question that a passage is about and does not answer
passes. Halfway up, the states of the question's tokens still tell which of them found something in the passage. Only
that half of the network is run.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, ValidationError
from tokenizers import Tokenizer

from handrail.errors import SettingsError
from handrail.local_models.onnx import batches, feed, pair_encodings, session


class Reading(BaseModel):
    """A fitted linear map, and the state of which model it reads."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str
    state: str
    """Name of the node whose output is read."""
    weights: list[float]
    intercept: float
    fitted_on: str
    n: int

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:12]


def load_reading(path: Path | None = None) -> Reading:
    """The file given, or the one that ships. Raises SettingsError when it is not one."""
    source = path if path is not None else files("handrail") / "fitted" / "reader.json"
    try:
        return Reading.model_validate(json.loads(source.read_text(encoding="utf-8")))
    except (OSError, ValueError, ValidationError) as error:
        raise SettingsError(f"{source}: not a reading: {error}") from None


class QueryStates:
    """Mean state of the query's tokens at one node of a cross-encoder, for pairs of query and passage."""

    def __init__(
        self, folder: Path, state: str, *, threads: int, batch_size: int, max_tokens: int, query_tokens: int
    ) -> None:
        self._state = state
        self._session = session((folder / "model.onnx").read_bytes() + _as_output(state), threads)
        self._inputs = {item.name for item in self._session.get_inputs()}
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._batch_size = batch_size
        self._max_tokens = max_tokens
        self._query_tokens = query_tokens
        self._options = ort.RunOptions()
        self._options.only_execute_path_to_fetches = True

    def of(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """`(pairs, width)`."""
        encodings = pair_encodings(self._tokenizer, pairs, self._max_tokens, self._query_tokens)
        order = sorted(range(len(pairs)), key=lambda i: len(encodings[i].ids))
        rows: dict[int, NDArray[np.float32]] = {}
        for batch in batches(order, self._batch_size):
            given = feed([encodings[i] for i in batch], self._inputs)
            states = self._session.run([self._state], given, self._options)[0]
            asked = (given["attention_mask"] == 1) & (given["token_type_ids"] == 0)
            asked[:, 0] = False
            share = asked / np.maximum(asked.sum(axis=1, keepdims=True), 1)
            rows |= dict(zip(batch, np.einsum("bt,btw->bw", share.astype(np.float32), states), strict=True))
        return np.asarray([rows[i] for i in range(len(pairs))], dtype=np.float32)


class OnnxReader:
    """Log-odds that a passage answers a question."""

    def __init__(self, reading: Reading, states: QueryStates) -> None:
        self._weights = np.asarray(reading.weights, dtype=np.float32)
        self._intercept = reading.intercept
        self._states = states

    def score(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        if not pairs:
            return np.zeros(0, dtype=np.float32)
        found: NDArray[np.float32] = self._states.of(pairs) @ self._weights + np.float32(self._intercept)
        return found


def _as_output(name: str) -> bytes:
    """What makes a node's result an output of the graph, when it is written behind an ONNX file.

    Protocol buffers join repeated messages: `model.graph.output` (fields 7 and 12) gains one float tensor of that name.
    """
    kind = _field(0x12, _field(0x0A, b"\x08\x01"))
    return _field(0x3A, _field(0x62, _field(0x0A, name.encode()) + kind))


def _field(tag: int, body: bytes) -> bytes:
    size, length = len(body), bytearray()
    while True:
        size, low = size >> 7, size & 0x7F
        length.append(low | (0x80 if size else 0))
        if not size:
            return bytes([tag]) + bytes(length) + body
