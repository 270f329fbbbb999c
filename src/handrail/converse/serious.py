"""Messages around a serious one: does the visitor refuse to be offered anything, and does he go on about it?

Two logistic regressions over embeddings that every message has, fitted by `python -m eval.fit_serious`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np

from handrail.types import Vectors

FITTED = "serious.json"
PRODUCT = 10.0
"""Weight of how two embeddings agree, dimension by dimension, beside the message's own."""


@dataclass(frozen=True, slots=True)
class _Logistic:
    intercept: float
    weights: Vectors

    def probability(self, values: Vectors) -> float:
        return float(1 / (1 + np.exp(-(self.intercept + values @ self.weights))))


@dataclass(frozen=True, slots=True)
class SeriousTalk:
    """Both take embeddings as probes hold them, `(d,)`, and return a probability in [0, 1]."""

    _declines: _Logistic
    _continues: _Logistic

    def declines(self, message: Vectors) -> float:
        """That its writer wants no offer to stay: no pause, no discount, no talking out of it."""
        return self._declines.probability(message)

    def continues(self, message: Vectors, serious: Vectors) -> float:
        """That it goes on about the `serious` message before it."""
        return self._continues.probability(beside(message, serious))


def beside(message: Vectors, serious: Vectors) -> Vectors:
    """`(2 * d,)`"""
    return np.concatenate([message, PRODUCT * message * serious]).astype(np.float32)


def load_serious_talk(embedder: str) -> SeriousTalk | None:
    """None where it was fitted to another embedder than the one in use."""
    fitted = json.loads((files("handrail") / "fitted" / FITTED).read_text(encoding="utf-8"))
    if fitted["embedder"] != embedder:
        return None
    return SeriousTalk(_logistic(fitted["declines"]), _logistic(fitted["continues"]))


def _logistic(fitted: Mapping[str, Any]) -> _Logistic:
    return _Logistic(float(fitted["intercept"]), np.asarray(fitted["weights"], dtype=np.float32))
