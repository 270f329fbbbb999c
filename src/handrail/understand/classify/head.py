"""The weights of the local classifier as they ship: a linear part, a small network, and what adds them up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handrail.errors import SettingsError
from handrail.types import Label, Vectors
from handrail.understand.classify.features import (
    DENSE,
    FURTHEST,
    HIDDEN_EMBEDDING_SCALE,
    HIDDEN_PATTERN_SCALE,
    HIDDEN_PATTERNS,
    Sparse,
)
from handrail.understand.classify.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Head:
    """Weights as `training.classifier.train` and then `training.classifier.verdict` write them."""

    labels: tuple[Label, ...]
    weights: Vectors
    """`(embedding + dense + n-gram buckets + pattern buckets, labels)` float32, of the linear part."""
    bias: Vectors
    network: Network
    verdicts: Mapping[int, Verdict]
    """By the number of judges: the two here, or with an encoder that was taught the labels."""
    means: Vectors
    scales: Vectors
    state_means: Vectors
    """`(layers * d,)`, of what `Embedding.states` holds."""
    state_scales: Vectors
    aside: Vectors
    """Over what the network reads: how likely a sentence asks for nothing, before the logistic function."""
    aside_bias: float
    embedder: str


@dataclass(frozen=True, slots=True)
class Network:
    """One hidden layer of rectified units over what a Read holds."""

    inward: Vectors
    """`(embedding + dense + HIDDEN_PATTERNS + states, units)` float32."""
    inward_bias: Vectors
    outward: Vectors
    outward_bias: Vectors

    def logits(self, read: Read) -> Vectors:
        raised = self.inward_bias + read.weighed(self.inward)
        found: Vectors = np.maximum(raised, 0.0) @ self.outward + self.outward_bias
        return found


@dataclass(frozen=True, slots=True)
class Read:
    """What the network reads of a text."""

    embedding: Vectors
    near: Vectors
    """Nearness and shape, standardised."""
    shape: Sparse
    states: Vectors
    """Standardised; zero where the encoder shows none."""

    def weighed(self, weights: Vectors) -> NDArray[Any]:
        """By rows for the embedding, nearness and shape, the pattern buckets, the states."""
        size = len(self.embedding)
        first_pattern = size + DENSE
        found: NDArray[Any] = HIDDEN_EMBEDDING_SCALE * self.embedding @ weights[:size]
        found += self.near.clip(-FURTHEST, FURTHEST) @ weights[size:first_pattern]
        found += (
            HIDDEN_PATTERN_SCALE * self.shape.values @ weights[first_pattern + self.shape.buckets % HIDDEN_PATTERNS]
        )
        found += self.states @ weights[first_pattern + HIDDEN_PATTERNS :]
        return found


JUDGES = (2, 3)
"""The linear part and the network, and the encoder."""
VERDICT = ("means", "scales", "weights", "bias")


def verdict_arrays(verdict: Verdict, judges: int) -> dict[str, Vectors]:
    """As a head's file holds them."""
    return {f"verdict_{judges}_{name}": getattr(verdict, name).astype(np.float32) for name in VERDICT}


def _verdict(stored: Mapping[str, Vectors], judges: int) -> Verdict:
    return Verdict(*(stored[f"verdict_{judges}_{name}"].astype(np.float32) for name in VERDICT))


def load_head(path: Path | None, embedder: str, *, judged: bool = True) -> Head:
    """The file given, or the one that ships; one without verdicts where they are yet to be fitted to what it says.

    Raises SettingsError when it belongs to another embedder.
    """
    source = path if path is not None else files("handrail.models") / "bundle" / "head.npz"
    try:
        with np.load(BytesIO(source.read_bytes()), allow_pickle=False) as stored:
            head = Head(
                labels=tuple(Label(str(name)) for name in stored["labels"]),
                weights=stored["weights"].astype(np.float32) * stored["units"].astype(np.float32),
                bias=stored["bias"].astype(np.float32),
                network=Network(
                    stored["inward"].astype(np.float32) * stored["inward_units"].astype(np.float32),
                    stored["inward_bias"].astype(np.float32),
                    stored["outward"].astype(np.float32),
                    stored["outward_bias"].astype(np.float32),
                ),
                verdicts={judges: _verdict(stored, judges) for judges in JUDGES} if judged else {},
                means=stored["means"].astype(np.float32),
                scales=stored["scales"].astype(np.float32),
                state_means=stored["state_means"].astype(np.float32),
                state_scales=stored["state_scales"].astype(np.float32),
                aside=stored["aside"].astype(np.float32),
                aside_bias=float(stored["aside_bias"]),
                embedder=str(stored["embedder"]),
            )
    except (OSError, ValueError, KeyError) as error:
        unjudged = isinstance(error, KeyError) and "verdict" in str(error)
        advice = f"; fit them with `python -m training.classifier.verdict --head {source}`" if unjudged else ""
        raise SettingsError(f"classify.head: {source} is not a classifier head: {error}{advice}") from None
    if head.embedder != embedder:
        raise SettingsError(
            f"the classifier head was trained with {head.embedder}, not {embedder}: train one with "
            "`python -m training.classifier.train`, then `python -m training.classifier.verdict`, and set "
            'classify.head, or use classify.mode = "llm" or "off"'
        )
    return head
