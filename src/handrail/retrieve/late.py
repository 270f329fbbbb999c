"""Late interaction over what the search found: each word of the question looks for its own place in each passage.

It sees what one vector for a whole passage blurs, at the price of one short text through an encoder (experiment 104).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np

from handrail.models.batching import Batcher
from handrail.retrieve.fusion import rescale
from handrail.stores.states import States
from handrail.types import Hit, Vectors

UNRELATED = 20
"""Percentile of the found passages that says nothing: the scale begins there and ends at the best."""


class LateInteraction:
    """Gives `weight` of the fused score to the likeness of tokens. `rows` are places in the index by passage id."""

    def __init__(self, encoder: Batcher[str, Vectors], states: States, rows: Mapping[str, int], weight: float) -> None:
        self._encoder = encoder
        self._states = states
        self._rows = rows
        self._weight = weight
        # One thread: the product is on every core as it is, and each thread would keep ten megabytes of its own.
        self._beside = ThreadPoolExecutor(1, thread_name_prefix="likeness")

    def foresee(self, query: str) -> None:
        """Begin to read a question that `lean` will be asked about."""
        self._encoder.foresee(query)

    async def lean(self, query: str, hits: Sequence[Hit]) -> list[Hit]:
        """Best first, with `late` filled in."""
        if not hits:
            return []
        asked = (await self._encoder.submit([query]))[0]
        rows = [self._rows[hit.passage.id] for hit in hits]
        found = await asyncio.get_running_loop().run_in_executor(self._beside, self._states.likeness, asked, rows)
        likeness = {hit.passage.id: float(value) for hit, value in zip(hits, found, strict=True)}
        share = rescale(likeness, float(np.percentile(found, UNRELATED)))
        leaned = [self._leaned(hit, likeness[hit.passage.id], share[hit.passage.id]) for hit in hits]
        return sorted(leaned, key=lambda hit: (-hit.fused, hit.passage.id))

    def _leaned(self, hit: Hit, likeness: float, share: float) -> Hit:
        fused = (1 - self._weight) * hit.fused + self._weight * share
        return replace(hit, late=likeness, fused=fused, final=fused)
