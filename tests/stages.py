"""Stages that do what a test tells them, and a pipeline made of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

import numpy as np

from handrail.generate import Hearer
from handrail.observe.silent import SilentTracer
from handrail.pipeline import Pipeline
from handrail.settings import Settings
from handrail.stages import Stages
from handrail.types import (
    Claim,
    Classification,
    Critique,
    Draft,
    Evidence,
    Hit,
    Label,
    Passage,
    Probe,
    Question,
    Reading,
    Understood,
    Verdict,
)
from handrail.wording import load_wording

T = TypeVar("T")

WORDING = load_wording("Acme")
HANG_S = 60.0


def understood(
    act: str = "request",
    *,
    depends: float = 0.1,
    refuses_offer: float = 0.1,
    crisis: float = 0.1,
    person: float = 0.1,
) -> Understood:
    """Surely `act`."""
    return Understood({act: 1.0}, depends, refuses_offer, crisis, person)


def passage(id_: str, text: str, *, title: str = "Connect a domain", headings: tuple[str, ...] = ()) -> Passage:
    """`article/position`, as retrieval would bring it."""
    article, _, position = id_.rpartition("/")
    url = f"https://help.example/{article}"
    return Passage(id_, article, int(position), title, headings, text, url, len(text.split()))


STEPS = passage("domains:connect/1", "Open Settings and choose Domains.")
RECORDS = passage("domains:records/4", "Add the A record at your provider.", title="DNS records")
EVIDENCE = Evidence("query", (Hit(STEPS, final=0.9), Hit(RECORDS, final=0.6)), {"rerank_top": 4.0})
DRAFT = Draft([Claim("Open Settings and choose Domains.", (STEPS.id,))], "scripted", model="m-1")


@dataclass
class Script(Generic[T]):
    """Gives `result`, raises it when it is an error, or keeps the caller waiting; remembers who asked."""

    result: T | Exception
    hangs: bool = False
    calls: list[tuple[Any, ...]] = field(default_factory=list)
    started: asyncio.Event = field(default_factory=asyncio.Event)
    cancelled: bool = False

    async def _run(self, *arguments: Any) -> T:
        self.calls.append(arguments)
        self.started.set()
        if self.hangs:
            try:
                await asyncio.sleep(HANG_S)
            except asyncio.CancelledError:
                self.cancelled = True
                raise
        if isinstance(self.result, Exception):
            raise self.result
        return self.result


class Classifies(Script[Classification]):
    async def classify(self, question: Question, probe: Probe) -> Classification:
        return await self._run(question, probe)


def says(label: Label, by: str = "local") -> Classifies:
    return Classifies(Classification(label, 0.995, by))


@dataclass
class Retrieves(Script[Evidence]):
    readings: list[Reading | None] = field(default_factory=list)

    async def probe(self, text: str) -> Probe:
        return Probe(np.zeros(4, dtype=np.float32))

    async def retrieve(
        self, query: str, filters: Mapping[str, str], probe: Probe | None = None, reading: Reading | None = None
    ) -> Evidence:
        self.readings.append(reading)
        return replace(await self._run(query, filters, probe), query=query)


class Rewrites(Script[str]):
    async def rewrite(self, question: Question) -> str:
        return await self._run(question)


@dataclass
class Calibrates:
    value: float

    def probability(self, evidence: Evidence) -> float:
        return self.value


class Answers(Script[Draft]):
    async def answer(
        self, question: Question, classification: Classification, evidence: Evidence, heard: Hearer | None = None
    ) -> Draft:
        return await self._run(question, classification, evidence)


class Critiques(Script[Critique]):
    async def critique(self, question: Question, draft: Draft, evidence: Evidence) -> Critique:
        return await self._run(question, draft, evidence)


def stages(**changes: Any) -> Stages:
    """Stages that answer everything, except where a test wants something else."""
    plain = Stages(
        classifier=says(Label.ANSWERABLE),
        fallback_classifier=says(Label.ANSWERABLE, by="fallback"),
        retriever=Retrieves(EVIDENCE),
        rewriter=None,
        calibrator=Calibrates(0.9),
        answerer=Answers(DRAFT),
        fallback_answerer=Answers(replace(DRAFT, provider="extractive", model=None)),
        critic=Critiques(Critique(Verdict.FULLY, 0.8)),
        tracer=SilentTracer(lambda: "4bf92f3577b34da6a3ce929d0e0e4736"),
    )
    return replace(plain, **changes)


def ticking() -> Callable[[], float]:
    """A clock that is a tenth of a second later each time it is asked."""
    now = iter(range(10**6))
    return lambda: next(now) / 10


def pipeline(
    chosen: Stages, *, deadline_s: float = 5.0, topics: Sequence[str] = (), second_look: float = 0.5
) -> Pipeline:
    settings = Settings.model_validate(
        {
            "server": {"turn_deadline_s": deadline_s},
            "brand": {"topics": list(topics)},
            "gates": {"relevance": 0.4, "confidence": 0.6, "second_look": second_look},
        }
    )
    return Pipeline(chosen, settings, WORDING, ticking())


def ask(text: str = "How do I connect a domain?", *, conversation_id: str = "conversation", **fields: Any) -> Question:
    return Question(text, conversation_id, "turn", **fields)
