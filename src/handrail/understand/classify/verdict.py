"""What the linear part, the network and the encoder say of a message and of its sentences, added up.

A multinomial logistic regression, fitted to messages that none of the three has learnt from
(`python -m training.classifier.verdict`): each of them knows its own rows too well to be weighed by them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from handrail.types import Vectors

SHARPNESS = 8
"""Power of a sentence's likelihood to ask for something in its weight."""


@dataclass(frozen=True, slots=True)
class Said:
    """Of a message or one of its sentences."""

    logits: Vectors
    """`(judges, labels)`: of the linear part, the network, and the encoder where one is heard."""
    aside: float
    """How likely it asks for nothing."""

    def first(self, judges: int) -> Said:
        """What so many of them say."""
        return Said(self.logits[:judges], self.aside)


@dataclass(frozen=True, slots=True)
class Verdict:
    means: Vectors
    """`(signals,)`, with `scales`: of the messages it was fitted to."""
    scales: Vectors
    weights: Vectors
    """`(signals, labels)`"""
    bias: Vectors

    def logits(self, text: str, whole: Said, sentences: Sequence[Said]) -> Vectors:
        """`(labels,)`"""
        standard = (signals(text, whole, sentences) - self.means) / self.scales
        found: Vectors = np.asarray(standard @ self.weights + self.bias, dtype=np.float32)
        return found


def signals(text: str, whole: Said, sentences: Sequence[Said]) -> Vectors:
    """`(2 · judges · labels + 3,)`: what is said of the whole, how the sentences that ask for something differ from it,
    and how long a message is; a long one has more that may sound serious.
    """
    apart = weighed(sentences) - whole.logits if sentences else np.zeros_like(whole.logits)
    length = [math.log1p(len(text.split())), float(bool(sentences)), math.log(max(len(sentences), 1))]
    return np.concatenate([whole.logits.ravel(), apart.ravel(), length]).astype(np.float32)


def weighed(sentences: Sequence[Said]) -> Vectors:
    """`(judges, labels)`: the mean over them, those that ask for nothing left out of account."""
    asides = np.asarray([sentence.aside for sentence in sentences])
    asking = np.maximum(1 - asides, 1e-9)
    weights = (asking / asking.max()) ** SHARPNESS
    found: Vectors = np.tensordot(weights / weights.sum(), np.stack([sentence.logits for sentence in sentences]), 1)
    return found
