"""Hybrid retrieval: dense and keyword search, fusion, late interaction, and the sections that are read."""

from typing import Protocol

from handrail.types import Evidence, Probe, Wordings
from handrail.types.filters import Filters


class Retriever(Protocol):
    async def probe(self, text: str) -> Probe:
        """Embed a message and compare it with the articles as a whole; no search."""
        ...

    async def retrieve(
        self, query: str, filters: Filters, probe: Probe | None = None, wordings: Wordings | None = None
    ) -> Evidence:
        """Passages for `query`, best first. `probe` saves the embedding when it is of the same text.

        `wordings` brings what the conversation adds.
        """
        ...
