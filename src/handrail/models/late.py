"""A late-interaction encoder: a vector for every token, so that each word of a query finds its own place in a passage.

ColBERT (Khattab and Zaharia 2020): the score of a passage is the mean, over the query's tokens, of each one's greatest
cosine to a token of the passage. The weights come without their last projection; a fixed one, the directions in which
states of help articles differ most (`python -m training.late`), keeps vectors small and the order of passages.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from handrail.errors import ModelUnavailable
from handrail.models.bert import Kept
from handrail.models.manifest import ModelSpec
from handrail.models.onnx import OnnxModel, normed
from handrail.types import Vectors

QUERY, PASSAGE = 1, 2
"""Ids of the tokens that say which of the two a text is; they stand behind the first one."""
PROJECTION = "late_projection.npy"
Codes = NDArray[np.int8]
"""`(tokens, d)`: directions of vectors, each scaled so that its greatest entry is 127."""


@dataclass(frozen=True, slots=True)
class Marked:
    """A text with the mark of its kind."""

    ids: Sequence[int]

    @property
    def attention_mask(self) -> Sequence[int]:
        return [1] * len(self.ids)

    @property
    def type_ids(self) -> Sequence[int]:
        return [0] * len(self.ids)


class LateEncoder:
    """Passages may be read while questions are: an article approved at the desk is indexed in a running process."""

    def __init__(self, spec: ModelSpec, folder: Path, *, threads: int, max_tokens: int, query_tokens: int) -> None:
        """`name` is of the weights together with the projection: what else is made has another name."""
        self._model = OnnxModel(folder, threads, kept=Kept.ALL)
        self._ends = [_id_of(self._model.tokenizer, token) for token in ("[CLS]", "[SEP]")]
        self._projection = load_projection()
        self.name = f"{spec.name}/{hashlib.sha256(self._projection.tobytes()).hexdigest()[:8]}"
        self._max_tokens = max_tokens
        self._query_tokens = query_tokens

    def queries(self, texts: Sequence[str]) -> list[Vectors]:
        """`(tokens, d)` float32, each row L2-normalised, for each text."""
        return [normed(states @ self._projection) for states in self.states(texts, QUERY, self._query_tokens)]

    def passages(self, texts: Sequence[str]) -> list[Codes]:
        """Codes of each text's tokens."""
        return [_coded(states @ self._projection) for states in self.states(texts, PASSAGE, self._max_tokens)]

    def places(self, text: str) -> list[tuple[int, int]]:
        """Where in `text` each vector of `passages` is from, as the first character and the one behind the last."""
        read = self._model.tokenizer.encode(text, add_special_tokens=False)
        return [(0, 0), (0, 0), *read.offsets, (0, 0)][: self._max_tokens]

    def states(self, texts: Sequence[str], kind: int, max_tokens: int) -> list[NDArray[np.float32]]:
        """`(tokens, width)`, as the encoder leaves them, rows L2-normalised."""
        plain = self._model.tokenizer.encode_batch(list(texts), add_special_tokens=False)
        begin, end = self._ends
        encodings = [Marked([begin, kind, *encoding.ids, end][:max_tokens]) for encoding in plain]
        found = (outputs[0] for outputs in self._model.run(encodings))
        return [normed(states[0] if states.ndim == 3 else states) for states in found]


def load_projection() -> Vectors:
    """`(width, d)` float32."""
    with (files("handrail.models") / "bundle" / PROJECTION).open("rb") as stream:
        return np.asarray(np.load(stream, allow_pickle=False), dtype=np.float32)


def _id_of(tokenizer: Tokenizer, token: str) -> int:
    found = tokenizer.token_to_id(token)
    if found is None:
        raise ModelUnavailable(f"the late-interaction encoder's tokenizer has no {token}")
    return found


def _coded(rows: NDArray[np.float32]) -> Codes:
    greatest = np.maximum(np.abs(rows).max(axis=1, keepdims=True), 1e-12)
    return np.asarray(np.round(rows * (127 / greatest)), dtype=np.int8)
