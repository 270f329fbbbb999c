"""A message with several questions is looked up in parts, and what is still missing is looked for once more."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Mapping, Sequence

from handrail.errors import HandrailError
from handrail.retrieve import Retriever
from handrail.retrieve.deep import GapFinder, Layer, Ranker, Splitter
from handrail.stores.tokens import STOP, words
from handrail.types import Evidence, Hit, Probe, Reading

MOST_PARTS = 3
MOST_GAPS = 2
JOINED = re.compile(
    r"\?\s+(?:and\s+|also\s+)?|;\s+|\s*,?\s+(?:and (?:also )?|and then |or )"
    r"(?=(?:how|what|when|where|which|why|who|can|could|do|does|is|are|will|should)\b)|"
    r"\.\s+(?:also|and|then)\b[\s,]*",
    re.IGNORECASE,
)
"""Where one question ends and another begins."""


class DecomposingRetriever(Layer):
    """The whole question and its parts searched side by side; everything is ranked against the whole question."""

    def __init__(self, inner: Retriever, ranker: Ranker, splitter: Splitter | None, gaps: GapFinder | None) -> None:
        super().__init__(inner)
        self._ranker = ranker
        self._splitter = splitter
        self._gaps = gaps

    async def retrieve(
        self, query: str, filters: Mapping[str, str], probe: Probe | None = None, reading: Reading | None = None
    ) -> Evidence:
        evidence = await self._inner.retrieve(query, filters, probe, reading)
        if self._splitter is not None:
            evidence = await self._with(
                evidence, query, await _quietly(self._splitter.split(query)), filters, MOST_PARTS
            )
        if self._gaps is not None:
            missing = await _quietly(self._gaps.missing(query, evidence))
            evidence = await self._with(evidence, query, missing, filters, MOST_GAPS)
        return evidence

    async def _with(
        self, evidence: Evidence, query: str, parts: Sequence[str], filters: Mapping[str, str], most: int
    ) -> Evidence:
        wanted = [part for part in dict.fromkeys(parts) if part.strip() and part != query][:most]
        if not wanted:
            return evidence
        found = await asyncio.gather(*(self._inner.retrieve(part, filters) for part in wanted))
        hits: dict[str, Hit] = {}
        for hit in (hit for one in (evidence, *found) for hit in one.hits if not hit.neighbour):
            known = hits.get(hit.passage.id)
            if known is None or hit.fused > known.fused:
                hits[hit.passage.id] = hit
        return await self._ranker.ranked(query, sorted(hits.values(), key=lambda hit: -hit.fused))


class LocalSplitter:
    """A Splitter by question marks and joining words; parts need two words of content each."""

    async def split(self, query: str) -> Sequence[str]:
        parts = [part.strip(" ?.,;") for part in JOINED.split(query)]
        full = [part for part in parts if sum(word not in STOP for word in words(part)) >= 2]
        return full[:MOST_PARTS] if len(full) > 1 else ()


async def _quietly(work: Awaitable[Sequence[str]]) -> Sequence[str]:
    try:
        return await work
    except HandrailError:
        return ()
