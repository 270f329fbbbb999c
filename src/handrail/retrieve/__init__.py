"""Hybrid retrieval: dense and keyword search, fusion, cross-encoder, neighbours."""

from collections.abc import Mapping
from typing import Protocol

from handrail.types import Evidence, Probe, Reading


class Retriever(Protocol):
    async def probe(self, text: str) -> Probe:
        """Embed a message and compare it with the articles as a whole; no search."""
        ...

    async def retrieve(
        self, query: str, filters: Mapping[str, str], probe: Probe | None = None, reading: Reading | None = None
    ) -> Evidence:
        """Passages for `query`, best first. `probe` saves the embedding when it is of the same text.

        `reading` brings what else the conversation says about the query.
        """
        ...
