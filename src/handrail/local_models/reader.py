"""Whether a passage answers a question: a linear reading of what a cross-encoder thinks on the way to its score.

Cross-encoders trained on search logs end in "is this about it?"; a question that a passage is about and does not answer
passes. Before that, the states of the question's tokens still tell which of them found something in the passage.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from handrail.errors import SettingsError
from handrail.local_models.onnx import OnnxModel, pair_encodings, pooled, query_states


class Reading(BaseModel):
    """A fitted linear map, and which layers of which model it reads."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str
    layers: list[int] = Field(min_length=1)
    """Counted from 0, from below."""
    weights: list[float]
    """Of the first layer's states, then of the next one's."""
    intercept: float
    fitted_on: str
    n: int

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.model_dump_json(exclude_defaults=True).encode()).hexdigest()[:12]


def load_reading(path: Path | None = None) -> Reading:
    """The file given, or the one that ships. Raises SettingsError when it is not one."""
    source = path if path is not None else files("handrail") / "fitted" / "reader.json"
    try:
        reading = Reading.model_validate(json.loads(source.read_text(encoding="utf-8")))
    except (OSError, ValueError, ValidationError) as error:
        raise SettingsError(f"{source}: not a reading: {error}") from None
    return reading


class QueryStates:
    """States of the query's tokens behind some layers of a cross-encoder, pooled, for pairs of query and passage."""

    def __init__(
        self, folder: Path, layers: Sequence[int], *, threads: int, max_tokens: int, query_tokens: int
    ) -> None:
        """`layers` from below."""
        self._model = OnnxModel(folder, threads, layers)
        self._max_tokens = max_tokens
        self._query_tokens = query_tokens

    def of(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """`(pairs, layers * width)`, ordered as a reading's weights."""
        encodings = pair_encodings(self._model.tokenizer, pairs, self._max_tokens, self._query_tokens)
        found = zip(encodings, self._model.run(encodings), strict=True)
        return np.asarray([pooled(query_states(encoding, outputs[1:])) for encoding, outputs in found], np.float32)
