"""Whole turns with what retrieval found for them, as a visitor has them and an evaluator needs them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from eval.datasets.articles import KnownArticles
from eval.evaluators import question
from handrail.answer.llm import MOST_PASSAGES
from handrail.assembly import Parts, build_parts, build_stages, new_trace_id
from handrail.observe.silent import SilentTracer
from handrail.retrieve import Retriever
from handrail.settings import Settings
from handrail.turn.engine import Engine
from handrail.turn.wording import load_wording
from handrail.types import Evidence, Passage, Probe, Question, Turn, Wordings
from handrail.types.filters import Filters


@dataclass(frozen=True, slots=True)
class Asked:
    turn: Turn
    passages: tuple[Passage, ...]
    """What the answerer was given to read; empty where nothing was looked up."""


class RecordingRetriever:
    """A retriever that remembers what it found."""

    def __init__(self, retriever: Retriever) -> None:
        self._retriever = retriever
        self.found: list[Evidence] = []

    async def probe(self, text: str) -> Probe:
        return await self._retriever.probe(text)

    async def retrieve(
        self, query: str, filters: Filters, probe: Probe | None = None, wordings: Wordings | None = None
    ) -> Evidence:
        found = await self._retriever.retrieve(query, filters, probe, wordings)
        self.found.append(found)
        return found


class Bench:
    """One engine without traces, asked one question at a time."""

    def __init__(self, settings: Settings, parts: Parts, engine: Engine, recorder: RecordingRetriever) -> None:
        self.settings = settings
        self.parts = parts
        self.articles = known_articles(parts)
        self._engine = engine
        self._recorder = recorder

    async def ask(self, text: str, *, trusting: bool = False) -> Asked:
        """A new conversation's first turn; `trusting` hides injection signals. Raises TextRefused as the API would."""
        asked = question(text, self.settings)
        return await self.put(replace(asked, suspicious=False) if trusting else asked)

    async def put(self, asked: Question) -> Asked:
        self._recorder.found.clear()
        turn = await self._engine.run(asked)
        # Where a message asked several things, each was looked up; otherwise what was found last counts.
        found = self._recorder.found if turn.outcome.requests else self._recorder.found[-1:]
        read = {hit.passage.id: hit.passage for evidence in found for hit in evidence.hits[:MOST_PASSAGES]}
        return Asked(turn, tuple(read.values()))


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
        recorder = RecordingRetriever(stages.retriever)
        await recorder.retrieve("warm up", {})
        engine = Engine(replace(stages, retriever=recorder), settings, wording, time.perf_counter)
        yield Bench(settings, parts, engine, recorder)
    finally:
        if closing is not None:
            await closing()
        await asyncio.to_thread(parts.close)
