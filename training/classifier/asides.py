"""Which sentence of a message asks for something, and which stands around it: a logistic regression."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from handrail.text.courtesies import without_courtesies
from handrail.text.sentences import ENDS, parts
from handrail.types import Label
from training.classifier.augment import FRAMES, MORE_FRAMES, filled
from training.classifier.rows import UNKNOWN, Row

STRENGTH = 0.003
WEIGHT = 3.0
"""Of a sentence that asks for nothing; there are fewer of them."""
LOWERED = 0.15
TIMES = 3
MESSAGES = 5000


@dataclass(frozen=True, slots=True)
class Asides:
    weights: NDArray[Any]
    bias: float


def said_around(companies: Sequence[str], rng: random.Random) -> list[Row]:
    """Sentences without a request, each before some company."""
    rows = []
    for lang, said in [*FRAMES.items(), *MORE_FRAMES.items()]:
        for sentence in [*said["before"], *said["after"]] * TIMES:
            text = filled(sentence, said, rng)
            text = text.lower().rstrip(".!") if rng.random() < LOWERED else text[0].upper() + text[1:]
            if any(character.isalpha() for character in text):
                rows.append(Row(text, Label.NONSENSE, rng.choice(companies), "around", 1.0, lang))
    return rows


def asked(rows: Sequence[Row], rng: random.Random) -> list[Row]:
    """The sentences of a sample of messages; most are single ones."""
    known = [row for row in rows if row.company != UNKNOWN]
    chosen = rng.sample(known, min(MESSAGES, len(known)))
    return [replace(row, text=part) for row in chosen for part in _sentences(row.text)]


def _sentences(text: str) -> list[str]:
    text = without_courtesies(text)
    return ENDS.split(text) if parts(text) else [text]


def fit(around: NDArray[Any], requests: NDArray[Any]) -> Asides:
    """Over what the network reads, as `Inputs.hidden` has it."""
    labels = np.r_[np.ones(len(around)), np.zeros(len(requests))]
    shares = np.where(labels == 1, WEIGHT, 1.0)
    model = LogisticRegression(C=STRENGTH, max_iter=200)
    model.fit(np.vstack([around, requests]), labels, sample_weight=shares)
    return Asides(model.coef_[0].astype(np.float16), float(model.intercept_[0]))
