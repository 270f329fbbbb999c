"""Passages that do not help are taken out before anything is answered from them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from handrail.errors import HandrailError
from handrail.retrieve import Retriever
from handrail.retrieve.deep import Grader, Layer
from handrail.retrieve.rerank import LOGIT_SCALE
from handrail.types import Evidence, Probe, Reading


class GradingRetriever(Layer):
    """Keeps the passages the grader finds relevant; all of them where it finds none or fails."""

    def __init__(self, inner: Retriever, grader: Grader) -> None:
        super().__init__(inner)
        self._grader = grader

    async def retrieve(
        self, query: str, filters: Mapping[str, str], probe: Probe | None = None, reading: Reading | None = None
    ) -> Evidence:
        evidence = await self._inner.retrieve(query, filters, probe, reading)
        try:
            kept = await self._grader.relevant(query, evidence)
        except HandrailError:
            return evidence
        sections = {hit.passage.section for hit in evidence.hits if hit.passage.id in kept}
        hits = [
            hit
            for hit in evidence.hits
            if hit.passage.id in kept or (hit.neighbour and hit.passage.section in sections)
        ]
        return replace(evidence, hits=hits) if hits else evidence


class CrossEncoderGrader:
    """A Grader for nothing: the logits are there already. `below` is on their softened scale, in [0, 1]."""

    def __init__(self, below: float) -> None:
        self._below = below

    async def relevant(self, query: str, evidence: Evidence) -> frozenset[str]:
        return frozenset(
            hit.passage.id
            for hit in evidence.hits
            if not hit.neighbour
            and (hit.rerank is None or 1.0 / (1.0 + math.exp(-hit.rerank / LOGIT_SCALE)) >= self._below)
        )
