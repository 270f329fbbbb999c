"""The local head: multinomial logistic regression with a temperature, a few hundred kilobytes of weights."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.resources import files
from io import BytesIO
from pathlib import Path

import numpy as np

from handrail.classify.cues import skeleton
from handrail.classify.features import (
    BUCKETS,
    DENSE,
    EMBEDDING_SCALE,
    NGRAM_SCALE,
    PATTERN_SCALE,
    dense_row,
    fold,
    ngrams,
    patterns,
    standardised,
)
from handrail.errors import SettingsError
from handrail.types import Classification, Label, Probe, Question, Vectors

READ = re.compile(r"[^\W\d_\u0000-\u024f\u0370-\u03ff\u0400-\u04ff]")
"""Letters of scripts that the head has seen nothing of."""


@dataclass(frozen=True, slots=True)
class Head:
    """Weights as `eval/train_classifier.py` writes them."""

    labels: tuple[Label, ...]
    weights: Vectors
    """`(embedding + dense + n-gram buckets + pattern buckets, labels)` float32."""
    bias: Vectors
    means: Vectors
    scales: Vectors
    temperature: float
    embedder: str


def load_head(path: Path | None, embedder: str) -> Head:
    """The file given, or the one that ships. Raises SettingsError when it belongs to another embedder."""
    source = path if path is not None else files("handrail.classify") / "head.npz"
    try:
        with np.load(BytesIO(source.read_bytes()), allow_pickle=False) as stored:
            head = Head(
                labels=tuple(Label(str(name)) for name in stored["labels"]),
                weights=stored["weights"].astype(np.float32) * stored["units"].astype(np.float32),
                bias=stored["bias"].astype(np.float32),
                means=stored["means"].astype(np.float32),
                scales=stored["scales"].astype(np.float32),
                temperature=float(stored["temperature"]),
                embedder=str(stored["embedder"]),
            )
    except (OSError, ValueError, KeyError) as error:
        raise SettingsError(f"classify.head: {source} is not a classifier head: {error}") from None
    if head.embedder != embedder:
        raise SettingsError(
            f"the classifier head was trained with {head.embedder}, not {embedder}: train one with "
            '`python -m eval.train_classifier` and set classify.head, or use classify.mode = "llm"'
        )
    return head


ANSWERED = (Label.ANSWERABLE, Label.HIGH_STAKES)


class LocalClassifier:
    """A message is only turned away when its label is at least `static_above` likely; in doubt it is a question."""

    def __init__(self, head: Head, static_above: float, company: str = "") -> None:
        """`company` is the name visitors call it by."""
        self._head = head
        self._static_above = static_above
        self._company = company

    async def classify(self, question: Question, probe: Probe) -> Classification:
        """Well under a millisecond beyond the embedding for a short message."""
        if not any(character.isalpha() for character in question.text):
            return Classification(Label.NONSENSE, 0.99, "rule", {Label.NONSENSE: 0.99})
        probabilities = self.probabilities(question.text, probe)
        label = max(probabilities, key=probabilities.__getitem__)
        unread = label in (Label.NONSENSE, Label.IRRELEVANT) and _foreign(question.text)
        if unread or (label not in ANSWERED and probabilities[label] < self._static_above):
            label = max(ANSWERED, key=probabilities.__getitem__)
        return Classification(label, probabilities[label], "local", probabilities)

    def probabilities(self, text: str, probe: Probe) -> dict[Label, float]:
        head = self._head
        folded = fold(text, self._company)
        read = skeleton(folded)
        near = standardised(dense_row(probe.topic, read), head.means, head.scales)
        grams, shape = ngrams(folded), patterns(read)
        size = len(probe.embedding)
        first_gram = size + DENSE
        first_pattern = first_gram + BUCKETS
        logits = head.bias + EMBEDDING_SCALE * probe.embedding @ head.weights[:size]
        logits += near @ head.weights[size:first_gram]
        logits += NGRAM_SCALE * grams.values @ head.weights[first_gram + grams.buckets]
        logits += PATTERN_SCALE * shape.values @ head.weights[first_pattern + shape.buckets]
        logits /= head.temperature
        exponents = np.exp(logits - logits.max())
        return dict(zip(head.labels, (exponents / exponents.sum()).tolist(), strict=True))


def _foreign(text: str) -> bool:
    """Whether most letters are of a script the head cannot judge; such a message is taken for a question."""
    letters = sum(character.isalpha() for character in text)
    return 2 * len(READ.findall(text)) > letters
