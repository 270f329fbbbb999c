"""Retrieval that looks more than once: layers around a Retriever, each there only where its switch is on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from handrail.retrieve import Retriever
from handrail.types import Evidence, Hit, Probe, Reading


class Ranker(Protocol):
    async def ranked(self, query: str, hits: Sequence[Hit]) -> Evidence:
        """`hits` scored against `query`, cut to size, with neighbours and signals."""
        ...


class Grader(Protocol):
    async def relevant(self, query: str, evidence: Evidence) -> frozenset[str]:
        """Ids of the passages that help to answer. Raises RetryableError and PermanentError."""
        ...


class Splitter(Protocol):
    async def split(self, query: str) -> Sequence[str]:
        """At most three sub-questions; empty when there is only one question."""
        ...


class GapFinder(Protocol):
    async def missing(self, query: str, evidence: Evidence) -> Sequence[str]:
        """At most two searches for what the evidence leaves open; empty when nothing is."""
        ...


class Imaginer(Protocol):
    async def passage(self, query: str) -> str:
        """What an article that answers might say; only ever searched with."""
        ...


class Corrector(Protocol):
    async def again(self, query: str, evidence: Evidence, tried: Sequence[str]) -> str | None:
        """Another wording to search with; None when there is none left."""
        ...


class Layer:
    """A Retriever around another one, whose probe is the inner one's."""

    def __init__(self, inner: Retriever) -> None:
        self._inner = inner

    async def probe(self, text: str) -> Probe:
        return await self._inner.probe(text)

    async def retrieve(
        self, query: str, filters: Mapping[str, str], probe: Probe | None = None, reading: Reading | None = None
    ) -> Evidence:
        return await self._inner.retrieve(query, filters, probe, reading)
