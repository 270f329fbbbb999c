"""A reader of sections over a cross-encoder that counts words."""

from __future__ import annotations

from collections.abc import Sequence

from handrail.models.batching import Batcher
from handrail.retrieve.section_reader import SectionReader
from handrail.stores.snapshot import Snapshot
from tests.calibrations import gate_of

Pair = tuple[str, str]
BY_LOGIT = gate_of({"reading": 1.0})
"""A probability that goes by the cross-encoder's logit alone."""
BY_SEARCH = gate_of({"fused": 4.0}, {"fused": 0.5})
"""One that goes by search alone."""


class WordOverlap:
    """A cross-encoder that counts the query's words in the text, as logits; keeps the pairs it was given."""

    def __init__(self) -> None:
        self.pairs: list[Pair] = []

    def __call__(self, pairs: Sequence[Pair]) -> list[float]:
        self.pairs += pairs
        return [4.0 * sum(word in text.lower() for word in query.lower().split()) - 4.0 for query, text in pairs]


def reader(snapshot: Snapshot, model: Batcher[Pair, float] | None, depth: int = 10, words: int = 80) -> SectionReader:
    return SectionReader(snapshot, model, depth, words, BY_SEARCH if model is None else BY_LOGIT)
