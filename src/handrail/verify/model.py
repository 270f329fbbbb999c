"""The fitted score of a pair: a small gradient boosting of shallow trees, read from JSON and run without a library."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from handrail.errors import SettingsError


class Tree(BaseModel):
    """Nodes by number, the root first; a node without a signal is a leaf."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    signal: tuple[int, ...]
    """Index of the signal a node looks at; -1 for a leaf."""
    at: tuple[float, ...]
    """A value up to this goes left."""
    left: tuple[int, ...]
    right: tuple[int, ...]
    value: tuple[float, ...]
    """Log-odds that a leaf adds."""

    def read(self, values: list[float]) -> float:
        node = 0
        while self.signal[node] >= 0:
            node = self.left[node] if values[self.signal[node]] <= self.at[node] else self.right[node]
        return self.value[node]


class ClaimModel(BaseModel):
    """Trees over named signals, and a logistic curve that makes their sum a probability."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    reranker: str
    signals: tuple[str, ...]
    base: float
    trees: tuple[Tree, ...]
    slope: float
    intercept: float
    fitted_on: str
    n: int

    def probability(self, signals: Mapping[str, float]) -> float:
        """In (0, 1): of the pairs given this value, that share is supported. A missing signal counts as 0."""
        values = [signals.get(name, 0.0) for name in self.signals]
        total = self.base + sum(tree.read(values) for tree in self.trees)
        return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, self.slope * total + self.intercept))))


def load_model(path: Path | None = None) -> ClaimModel:
    """The file given, or the one that ships. Raises SettingsError when it is not a claim model."""
    source = path if path is not None else files("handrail.models") / "bundle" / "claims.json"
    try:
        return ClaimModel.model_validate(json.loads(source.read_text(encoding="utf-8")))
    except (OSError, ValueError, ValidationError) as error:
        raise SettingsError(f"{source}: not a claim model: {error}") from None
