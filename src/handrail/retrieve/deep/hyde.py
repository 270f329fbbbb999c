"""Searching beside the question with a passage that might answer it (HyDE; Gao et al. 2022)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from handrail.errors import HandrailError
from handrail.retrieve import Retriever
from handrail.retrieve.deep import Imaginer, Layer
from handrail.types import Evidence, Probe, Reading

WEIGHT = 1.0
"""Of the imagined passage, next to the question's 1."""


class HydeRetriever(Layer):
    def __init__(self, inner: Retriever, imaginer: Imaginer) -> None:
        super().__init__(inner)
        self._imaginer = imaginer

    async def retrieve(
        self, query: str, filters: Mapping[str, str], probe: Probe | None = None, reading: Reading | None = None
    ) -> Evidence:
        try:
            imagined = await self._imaginer.passage(query)
        except HandrailError:
            return await self._inner.retrieve(query, filters, probe, reading)
        known = reading if reading is not None else Reading(query)
        beside = {**known.beside, imagined: WEIGHT}
        kind = known.kind if known.depends else "imagined"
        return await self._inner.retrieve(query, filters, probe, replace(known, kind=kind, beside=beside))
