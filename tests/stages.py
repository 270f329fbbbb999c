"""Stages that do what a test tells them, and an engine made of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

import numpy as np

from handrail.answer import Answerer, Critic, Told
from handrail.answer.gate import Band, Bands
from handrail.answer.pieces import Pieces
from handrail.answer.policy import Policy
from handrail.answer.verbatim import VerbatimAnswerer
from handrail.observe.silent import SilentTracer
from handrail.retrieve import Retriever
from handrail.settings import Settings
from handrail.turn.engine import Engine
from handrail.turn.fallback import WithSpare
from handrail.turn.stages import Stages
from handrail.turn.state import LARGE_SHARE, SMALL_SHARE
from handrail.turn.wording import load_wording
from handrail.types import (
    Act,
    Candidate,
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
    Request,
    Section,
    Sense,
    Understanding,
    Understood,
    Verdict,
    Verified,
    Wordings,
)
from handrail.types.filters import Filters
from handrail.understand import Understand
from handrail.understand.classify import Classifier
from handrail.understand.local import LocalUnderstanding
from handrail.verify import Verifier

T = TypeVar("T")

WORDING = load_wording("Acme")
HANG_S = 60.0
ANSWERED, CLOSEST = 0.6, 0.3
"""Probabilities between the bands."""
BANDS = Bands(ANSWERED, CLOSEST)
PIECES = Pieces(BANDS, {}, "english")
CLASSIFY = Settings().classify
PROBE = Probe(np.zeros(4, dtype=np.float32))


def understood_as(
    act: str = "request",
    *,
    depends: float = 0.1,
    refuses_offer: float = 0.1,
    crisis: float = 0.1,
) -> Understood:
    """Surely `act`."""
    return Understood({act: 1.0}, depends, refuses_offer, crisis)


def passage(id_: str, text: str, *, title: str = "Connect a domain", headings: tuple[str, ...] = ()) -> Passage:
    """`article/position`, as retrieval would bring it."""
    article, _, position = id_.rpartition("/")
    url = f"https://help.example/{article}"
    return Passage(id_, article, int(position), title, headings, text, url, len(text.split()))


def section_of(*held: Passage, text: str | None = None) -> Section:
    """The section that passages hold together, in reading order."""
    first = held[0]
    whole = "\n\n".join(one.text for one in held) if text is None else text
    ids = tuple(one.id for one in held)
    return Section(
        f"{first.article_id}#{first.position}", first.article_id, first.title, first.headings, whole, first.url, ids
    )


def found(*likely: tuple[Passage, float], query: str = "query") -> Evidence:
    """Passages that are sections by themselves, the likeliest to answer first."""
    hits = [Hit(one, fused=probability, final=probability) for one, probability in likely]
    return Evidence(query, hits, sections=[Candidate(section_of(one), probability) for one, probability in likely])


STEPS = passage("domains:connect/1", "Open Settings and choose Domains.")
RECORDS = passage("domains:records/4", "Add the A record at your provider.", title="DNS records")
EVIDENCE = found((STEPS, 0.9), (RECORDS, 0.6))
UNSURE = found((STEPS, 0.45), (RECORDS, 0.2))
"""Near what was asked, without the likelihood of an answer."""
UNLIKE = found((STEPS, 0.1), (RECORDS, 0.05))
NOTHING = Evidence("", ())
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


def label(name: Label, probability: float = 0.995, by: str = "local", answerable: float = 0.005) -> Classification:
    return Classification(name, probability, by, {Label.ANSWERABLE: answerable, name: probability})


def says(name: Label, by: str = "local", probability: float = 0.995) -> Classifies:
    return Classifies(label(name, probability, by))


class Understands(Script[Understanding]):
    async def read(self, question: Question) -> Understanding:
        return await self._run(question)


def sense(text: str, name: Label = Label.ANSWERABLE, probability: float = 0.995, **fields: Any) -> Sense:
    return Sense(text, label(name, probability), PROBE, **fields)


def request(text: str, name: Label = Label.ANSWERABLE, probability: float = 0.995) -> Request:
    return Request(text, (sense(text, name, probability),))


def asking(*requests: Request, whole: Request | None = None, **fields: Any) -> Understands:
    """A message of these requests; by itself it is what the first of them is, unless told otherwise."""
    text = " ".join(one.text for one in requests)
    together = Request(text, (replace(requests[0].senses[0], text=text),))
    whole = whole or (requests[0] if len(requests) == 1 else together)
    return Understands(Understanding(requests, whole, **fields))


def act(of: Act, text: str = "ok", **fields: Any) -> Understands:
    return asking(request(text), act=of, **fields)


class Retrieves(Script[Evidence]):
    async def probe(self, text: str) -> Probe:
        return PROBE

    async def retrieve(
        self, query: str, filters: Filters, probe: Probe | None = None, wordings: Wordings | None = None
    ) -> Evidence:
        return replace(await self._run(query, filters, probe, wordings), query=query)


@dataclass
class Library:
    """Finds what a word of the query names, the first one that does; nothing for any other."""

    held: Mapping[str, Evidence]
    asked: list[str] = field(default_factory=list)

    async def probe(self, text: str) -> Probe:
        return PROBE

    async def retrieve(
        self, query: str, filters: Filters, probe: Probe | None = None, wordings: Wordings | None = None
    ) -> Evidence:
        self.asked.append(query)
        fits = (evidence for word, evidence in self.held.items() if word in query.casefold())
        return replace(next(fits, NOTHING), query=query)


class Rewrites(Script[str]):
    async def rewrite(self, question: Question) -> str:
        return await self._run(question)


@dataclass
class Answers(Script[Draft]):
    """A model that writes, which may answer from less than who quotes."""

    least: Band = Band.CLOSEST
    tells: bool = False
    """Whether it tells of each claim as it is written."""

    async def answer(
        self, question: Question, classification: Classification, evidence: Evidence, told: Told | None = None
    ) -> Draft:
        draft = await self._run(question, classification, evidence)
        if self.tells and told is not None:
            for claim in draft.claims:
                await told.write(claim)
        return draft


class Critiques(Script[Critique]):
    async def critique(self, question: Question, draft: Draft, evidence: Evidence) -> Critique:
        return await self._run(question, draft, evidence)


@dataclass
class Labels:
    """A Verifier that gives each claim the label written for it, `supported` to any other."""

    labels: Mapping[str, str]
    error: Exception | None = None
    drafts: list[Draft] = field(default_factory=list)

    async def verify(self, question: Question, draft: Draft, evidence: Evidence) -> Verified:
        self.drafts.append(draft)
        if self.error is not None:
            raise self.error
        claims = [replace(claim, support=self.labels.get(claim.id, "supported")) for claim in draft.claims]
        right = sum(claim.support == "supported" for claim in claims)
        return Verified(replace(draft, claims=tuple(claims)), right / len(claims) if claims else None)


def quotes(policy: Policy | None = None) -> VerbatimAnswerer:
    """The answerer without a language model, itself."""
    return VerbatimAnswerer(PIECES, WORDING, policy or Policy())


def stages(
    *,
    classifier: Classifier | None = None,
    retriever: Retriever | None = None,
    understands: Understand | None = None,
    understands_instead: Understand | None = None,
    answerer: Answerer | None = None,
    answers_instead: Answerer | None = None,
    critic: Critic | None = None,
    critic_instead: Critic | None = None,
    verifier: Verifier | None = None,
    verifies_instead: Verifier | None = None,
    **others: Any,
) -> Stages:
    """Stages that answer everything: a scripted model writes, and the sections themselves are quoted where it fails.

    `others` are fields of Stages.
    """
    classifier, retriever = classifier or says(Label.ANSWERABLE), retriever or Retrieves(EVIDENCE)
    first = understands or LocalUnderstanding(retriever, classifier, CLASSIFY)
    writes = answerer is None or not isinstance(answerer, VerbatimAnswerer)
    plain = Stages(
        understand=WithSpare("understand", SMALL_SHARE, first, understands_instead),
        retriever=retriever,
        bands=BANDS,
        quote=PIECES,
        answer=WithSpare("answer", LARGE_SHARE, answerer or Answers(DRAFT), answers_instead or quotes()),
        verify=WithSpare("verify", LARGE_SHARE, verifier, verifies_instead) if verifier is not None else None,
        critique=WithSpare("critique", LARGE_SHARE, critic, critic_instead) if critic is not None else None,
        rewriter=None,
        tracer=SilentTracer(lambda: "4bf92f3577b34da6a3ce929d0e0e4736"),
        classifier=classifier,
        writes=writes,
    )
    return replace(plain, **others)


def quoting(policy: Policy | None = None, **changes: Any) -> Stages:
    """Stages without a language model."""
    chosen = stages(answerer=quotes(policy), **changes)
    return replace(chosen, answer=replace(chosen.answer, spare=None))


def ticking() -> Callable[[], float]:
    """A clock that is a tenth of a second later each time it is asked."""
    now = iter(range(10**6))
    return lambda: next(now) / 10


def engine(chosen: Stages, *, deadline_s: float = 5.0, topics: Sequence[str] = (), **sections: Any) -> Engine:
    brand = {"topics": list(topics), **sections.pop("brand", {})}
    settings = Settings.model_validate({"server": {"turn_deadline_s": deadline_s}, "brand": brand, **sections})
    return Engine(chosen, settings, WORDING, ticking())


def ask(text: str = "How do I connect a domain?", *, conversation_id: str = "conversation", **fields: Any) -> Question:
    return Question(text, conversation_id, "turn", **fields)


def critique(verdict: Verdict = Verdict.FULLY) -> Critiques:
    return Critiques(Critique(verdict))
