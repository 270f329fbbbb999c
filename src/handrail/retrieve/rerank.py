"""The cross-encoder's view of a ranked list, blended with the fused score rather than replacing it."""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from handrail.local_models import Logit
from handrail.local_models.batching import Batcher
from handrail.markdown import plain, sentences
from handrail.retrieve.tables import read_aloud
from handrail.stores.tokens import tokenize
from handrail.types import Hit, Passage

LOGIT_SCALE, READING_SCALE = 4.0, 2.0
"""Soften the cross-encoder's logits (about -11 to 11) and what was read before the sigmoid, so that good passages stay
apart."""
FEWEST = 3
"""Pairs that are scored however many wait: the gates look at the best three."""


class CrossEncoderRerank:
    """Scores the first `depth` hits; `weight` is the cross-encoder's share of the final score.

    Where it also reads whether a passage answers, that is half of its share.
    """

    def __init__(self, model: Batcher[tuple[str, str], float], depth: int, weight: float, max_words: int) -> None:
        self._model = model
        self._depth = depth
        self._weight = weight
        self._max_words = max_words

    async def rerank(self, query: str, hits: Sequence[Hit]) -> list[Hit]:
        """Best first. Hits beyond the depth, which is less while many wait, keep their order behind the scored ones."""
        depth = self._model.affordable(self._depth, FEWEST)
        head, tail = hits[:depth], hits[depth:]
        pairs = await asyncio.to_thread(self._pairs, query, head)
        logits = await self._model.submit(pairs)
        scored = [self._blend(hit, logit) for hit, logit in zip(head, logits, strict=True)]
        scored.sort(key=lambda hit: hit.final, reverse=True)
        floor = scored[-1].final if scored else 1.0
        return [*scored, *(replace(hit, final=min(floor, (1 - self._weight) * hit.fused)) for hit in tail)]

    def _pairs(self, query: str, hits: Sequence[Hit]) -> list[tuple[str, str]]:
        return [(query, window(query, hit.passage, self._max_words)) for hit in hits]

    def _blend(self, hit: Hit, logit: float) -> Hit:
        relevance = _sigmoid(logit / LOGIT_SCALE)
        reading = logit.reading if isinstance(logit, Logit) else None
        if reading is not None:
            relevance = (relevance + _sigmoid(reading / READING_SCALE)) / 2
        return replace(
            hit, rerank=float(logit), reading=reading, final=self._weight * relevance + (1 - self._weight) * hit.fused
        )


def _sigmoid(value: float) -> float:
    return 1.0 / (1.0 + math.exp(-value))


def window(query: str, passage: Passage, max_words: int) -> str:
    """Title, headings and the run of lines that shares most with the query, when the passage is longer than fits.

    A cross-encoder that reads the first words only misses the step in the middle of a long list.
    """
    head = ": ".join((passage.title, *passage.headings))
    text = read_aloud(plain(passage.text))
    budget = max_words - len(head.split())
    if len(text.split()) <= budget:
        return f"{head}\n{text}"
    units = [unit for line in text.splitlines() if line.strip() for unit in _units(line)]
    return f"{head}\n" + " ".join(_best_run(units, set(tokenize(query)), budget))


def _units(line: str) -> list[str]:
    return [line] if len(line.split()) < 40 else sentences(line)


def _best_run(units: Sequence[str], wanted: set[str], budget: int) -> Sequence[str]:
    """The first of those runs of units within `budget` words, or of a single one, that hold most of `wanted`.

    One pass: a run moves on by what enters it at the end and leaves it at the start.
    """
    words = [len(unit.split()) for unit in units]
    found = [wanted.intersection(tokenize(unit)) for unit in units]
    held: Counter[str] = Counter()
    size = end = 0
    best, at = -1, (0, 0)
    for start in range(len(units)):
        while end < len(units) and (end == start or size + words[end] <= budget):
            size += words[end]
            held.update(found[end])
            end += 1
        if len(+held) > best:
            best, at = len(+held), (start, end)
        size -= words[start]
        held.subtract(found[start])
    return units[slice(*at)]
