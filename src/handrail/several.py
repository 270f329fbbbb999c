"""A message that asks several things is answered part by part, each from its own evidence."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from handrail.classify import Classifier
from handrail.converse.cues import points_back
from handrail.converse.local import carried
from handrail.converse.several import questions_of
from handrail.errors import HandrailError
from handrail.gates import Calibrator
from handrail.generate import Answerer, Critic
from handrail.in_flight import LARGE_SHARE, TurnInFlight
from handrail.retrieve import Retriever
from handrail.types import (
    Claim,
    Classification,
    Draft,
    Evidence,
    Exchange,
    Hit,
    Label,
    Question,
    Reading,
    Routing,
    Verdict,
)
from handrail.wording import Wording

ASKED = frozenset({Label.ANSWERABLE, Label.OUT_OF_SCOPE})
"""Labels of parts that deserve a word when they stay open; "are you kidding me?" does not."""


@dataclass(frozen=True, slots=True)
class Joint:
    """The answers to the parts of one message as one draft."""

    evidence: Evidence
    """All that was found for the answered parts, with the signals of the weakest."""
    draft: Draft
    confidence: float
    """The weakest part's."""
    left_open: bool
    """Whether a question found no answer; the draft's closing names it."""


@dataclass(frozen=True, slots=True)
class _Part:
    text: str
    label: Label
    evidence: Evidence
    confidence: float
    draft: Draft | None
    """None where the articles do not answer it."""


class Several:
    """Made of the pipeline's own stages; `relevance` is the gate each part has to pass."""

    def __init__(
        self,
        retriever: Retriever,
        classifier: Classifier,
        calibrator: Calibrator,
        answerer: Answerer,
        critic: Critic | None,
        relevance: float,
    ) -> None:
        self._retriever = retriever
        self._classifier = classifier
        self._calibrator = calibrator
        self._answerer = answerer
        self._critic = critic
        self._relevance = relevance

    async def answer(self, turn: TurnInFlight) -> Joint | None:
        """None where the message asks one thing, a part is for a person to settle, or no part is answered."""
        classification = turn.classification
        asks = classification.label is Label.ANSWERABLE and classification.rule is None and not turn.reading.depends
        texts = questions_of(classification.asks or turn.question.text) if asks and not turn.question.suspicious else ()
        if not texts:
            return None
        async with turn.stage("retrieve") as span:
            try:
                parts = await turn.in_time(self._parts(turn.question, classification, texts), LARGE_SHARE)
            except HandrailError:
                return None
            span.record(output=[(part.text, part.confidence, part.draft is not None) for part in parts])
        if any(part.label is Label.HIGH_STAKES for part in parts):
            return None
        return _joint(turn.question, parts, turn.wording)

    async def _parts(self, question: Question, classification: Classification, texts: Sequence[str]) -> list[_Part]:
        first = await self._part(question, classification, texts[0], None)
        rest = (self._part(question, classification, text, first if points_back(text) else None) for text in texts[1:])
        return [first, *await asyncio.gather(*rest)]

    async def _part(self, question: Question, classification: Classification, text: str, before: _Part | None) -> _Part:
        reading = _read(text, before) if before is not None else Reading(text)
        asked = replace(question, text=reading.text)
        probe = await self._retriever.probe(reading.text)
        label = (await self._classifier.classify(asked, probe)).label
        if label is not Label.ANSWERABLE:
            return _Part(text, label, Evidence(text, ()), 0.0, None)
        depends = reading if reading.depends else None
        evidence = await self._retriever.retrieve(reading.text, question.filters, probe, depends)
        confidence = self._calibrator.probability(evidence)
        if not evidence.hits or confidence < self._relevance:
            return _Part(text, label, evidence, confidence, None)
        draft = await self._answerer.answer(asked, classification, evidence)
        critique = await self._critic.critique(asked, draft, evidence) if self._critic and draft.claims else None
        answered = bool(draft.claims) and (critique is None or critique.verdict is not Verdict.CANNOT)
        if critique is not None and critique.probability is not None:
            confidence = critique.probability
        return _Part(text, label, evidence, confidence, draft if answered else None)


def _read(text: str, before: _Part) -> Reading:
    """A part that points back, with the question before it and what was found for that."""
    cited = {id_ for claim in before.draft.claims for id_ in claim.passage_ids} if before.draft else set()
    found = [hit.passage for hit in before.evidence.hits if hit.passage.id in cited]
    titles = tuple(dict.fromkeys(passage.title for passage in found))
    articles = tuple(dict.fromkeys(passage.article_id for passage in found))
    past = Exchange(before.text, before.text, before.text, Routing.ANSWERED, articles, titles)
    return carried(text, past, past if articles else None, sure=True)


def _joint(question: Question, parts: Sequence[_Part], wording: Wording) -> Joint | None:
    answered = [(part, part.draft) for part in parts if part.draft is not None]
    if not answered:
        return None
    weakest, drafted = min(answered, key=lambda both: both[0].confidence)
    claims: list[Claim] = []
    said: set[str] = set()
    for part, draft in answered:
        new = [claim for claim in draft.claims if claim.text not in said]
        said |= {claim.text for claim in new}
        claims += _titled(new, part.evidence) if len(answered) > 1 else new
    hits: dict[str, Hit] = {}
    for part, _ in answered:
        hits |= {hit.passage.id: hit for hit in part.evidence.hits if hit.passage.id not in hits}
    evidence = Evidence(question.text, tuple(hits.values()), weakest.evidence.signals)
    left_open = [wording.quoted(part.text) for part in parts if part.draft is None and part.label in ASKED]
    closing = wording.say("left_open", questions=" ".join(left_open)) if left_open else None
    draft = replace(drafted, claims=tuple(claims), closing=closing)
    return Joint(evidence, draft, weakest.confidence, bool(left_open))


def _titled(claims: Sequence[Claim], evidence: Evidence) -> list[Claim]:
    """Under the title of the article, where they do not begin with a heading."""
    if not claims or claims[0].text.startswith("**"):
        return list(claims)
    title = next(hit.passage.title for hit in evidence.hits if hit.passage.id == claims[0].passage_ids[0]).rstrip(":.")
    heading = f"**{title}**" if title.endswith("?") else f"**{title}:**"
    return [replace(claims[0], text=f"{heading}\n\n{claims[0].text}"), *claims[1:]]
