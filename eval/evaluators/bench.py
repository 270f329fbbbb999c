"""Whole turns with what retrieval found for them, as a visitor has them and an evaluator needs them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from eval.datasets.articles import KnownArticles
from eval.evaluators import question
from handrail.assembly import Parts, build_parts, build_stages, new_trace_id
from handrail.observe.silent import SilentTracer
from handrail.pipeline import Pipeline
from handrail.retrieve import Retriever
from handrail.settings import Settings
from handrail.types import Evidence, Passage, Probe, Question, Reading, Turn
from handrail.wording import load_wording


@dataclass(frozen=True, slots=True)
class Asked:
    turn: Turn
    passages: tuple[Passage, ...]
    """What the answerer was given to read; empty where nothing was looked up."""


class Overheard:
    """A retriever that remembers what it found last."""

    def __init__(self, retriever: Retriever) -> None:
        self._retriever = retriever
        self.last: Evidence | None = None

    async def probe(self, text: str) -> Probe:
        return await self._retriever.probe(text)

    async def retrieve(
        self, query: str, filters: Mapping[str, str], probe: Probe | None = None, reading: Reading | None = None
    ) -> Evidence:
        self.last = await self._retriever.retrieve(query, filters, probe, reading)
        return self.last


class Bench:
    """One pipeline without traces, asked one question at a time."""

    def __init__(self, settings: Settings, parts: Parts, pipeline: Pipeline, overheard: Overheard) -> None:
        self.settings = settings
        self.parts = parts
        self.articles = known_articles(parts)
        self._pipeline = pipeline
        self._overheard = overheard

    async def ask(self, text: str, *, trusting: bool = False) -> Asked:
        """A new conversation's first turn; `trusting` hides injection signals. Raises TextRefused as the API would."""
        asked = question(text, self.settings)
        return await self.put(replace(asked, suspicious=False) if trusting else asked)

    async def put(self, asked: Question) -> Asked:
        self._overheard.last = None
        turn = await self._pipeline.run(asked)
        found = self._overheard.last
        limit = self.settings.generate.context_passages
        return Asked(turn, tuple(hit.passage for hit in found.hits[:limit]) if found else ())


def known_articles(parts: Parts) -> KnownArticles:
    snapshot = parts.snapshot
    urls = {passage.article_id: passage.url for passage in snapshot.passages if passage.url}
    return KnownArticles(snapshot.articles, urls, snapshot.titles)


@asynccontextmanager
async def bench(settings: Settings) -> AsyncIterator[Bench]:
    """Loaded, warm, and closed afterwards. Raises HandrailError saying what is missing."""
    parts = await asyncio.to_thread(build_parts, settings)
    closing = None
    try:
        wording = load_wording(settings.brand.name)
        stages = build_stages(settings, parts, wording, SilentTracer(new_trace_id))
        closing = stages.closing
        overheard = Overheard(stages.retriever)
        await overheard.retrieve("warm up", {})
        pipeline = Pipeline(replace(stages, retriever=overheard), settings, wording, time.perf_counter)
        yield Bench(settings, parts, pipeline, overheard)
    finally:
        if closing is not None:
            await closing()
        await asyncio.to_thread(parts.close)
