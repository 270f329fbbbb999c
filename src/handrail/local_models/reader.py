"""Whether a passage answers a question: a linear reading of what a cross-encoder thinks halfway up.

Cross-encoders trained on search logs end in "is this about it?"; a question that a passage is about and does not answer
passes. Halfway up, the states of the question's tokens still tell which of them found something in the passage.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, ValidationError

from handrail.errors import SettingsError
from handrail.local_models.onnx import OnnxModel, pair_encodings, query_mean

LAYER = re.compile(r"encoder/layer\.(\d+)/output/LayerNorm/")


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
    def layer(self) -> int:
        return layer_of(self.state)

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:12]


ANSWERS, STATES = "reader.json", "claim_reader.json"
"""What ships: whether a passage answers a question, and whether it states a claim."""


def load_reading(path: Path | None = None, shipped: str = ANSWERS) -> Reading:
    """The file given, or one that ships. Raises SettingsError when it is not one."""
    source = path if path is not None else files("handrail") / "fitted" / shipped
    try:
        reading = Reading.model_validate(json.loads(source.read_text(encoding="utf-8")))
        layer_of(reading.state)
    except (OSError, ValueError, ValidationError) as error:
        raise SettingsError(f"{source}: not a reading: {error}") from None
    return reading


class QueryStates:
    """Mean state of the query's tokens behind one layer of a cross-encoder, for pairs of query and passage."""

    def __init__(self, folder: Path, state: str, *, threads: int, max_tokens: int, query_tokens: int) -> None:
        self._model = OnnxModel(folder, threads, layer_of(state))
        self._max_tokens = max_tokens
        self._query_tokens = query_tokens

    def of(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """`(pairs, width)`."""
        encodings = pair_encodings(self._model.tokenizer, pairs, self._max_tokens, self._query_tokens)
        found = zip(encodings, self._model.run(encodings), strict=True)
        return np.asarray([query_mean(encoding, outputs[1]) for encoding, outputs in found], dtype=np.float32)


def layer_of(state: str) -> int:
    """The layer, counted from 0, whose result a node of that name holds. Raises ValueError where it names none."""
    match = LAYER.search(state)
    if match is None:
        raise ValueError(f"no layer's result: {state!r}")
    return int(match[1])
