"""A message that asks several things is answered part by part, each from its own evidence."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from handrail import language
from handrail.classify import Classifier
from handrail.converse.cues import points_back
from handrail.converse.local import carried
from handrail.converse.several import MOST, asks, pieces_of, questions_of
from handrail.errors import HandrailError
from handrail.gates import Calibrator
from handrail.generate import Answerer, Critic
from handrail.in_flight import LARGE_SHARE, TurnInFlight
from handrail.notices import written_in
from handrail.retrieve import Retriever
from handrail.stores.tokens import coverage
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
from handrail.withhold import QUOTED
from handrail.wording import Wording

ASKED = frozenset({Label.ANSWERABLE, Label.OUT_OF_SCOPE})
"""Labels of parts that deserve a word when they stay open; "are you kidding me?" does not."""
PARTED = frozenset({Label.ANSWERABLE, Label.HIGH_STAKES, Label.OUT_OF_SCOPE, Label.IRRELEVANT})
"""Labels of messages that may be made of parts: the whole of two that differ may look like either."""
BESIDE_IT = frozenset({Label.ANSWERABLE, Label.OUT_OF_SCOPE})
"""Labels of what else a serious message may ask."""
MAYBE_SERIOUS, SURELY = 0.05, 0.75
"""Probability of high stakes from which a message may have a serious part, and of a piece's label from which it stands
by itself."""
SPOKEN_OF = 0.5
"""Share of a part's words in an answer from which its writer is believed that it answers that part too."""

Write = Callable[[TurnInFlight, Evidence], Awaitable[Draft]]
"""The turn's answerer, with whatever stands in for it when it fails."""


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
    serious: Serious | None = None
    """The part that is for a person to settle, which the draft says nothing of."""


@dataclass(frozen=True, slots=True)
class Serious:
    """The serious part of a message that asks something else, too."""

    question: Question
    """The message without its other parts."""
    classification: Classification
    evidence: Evidence
    confidence: float
    """Probability that the evidence answers it."""


@dataclass(frozen=True, slots=True)
class _Part:
    text: str
    asked: Question
    """As it was looked up, with what it points back to."""
    found: Classification
    evidence: Evidence
    confidence: float
    passed: bool
    """Whether the articles have something on it."""
    draft: Draft | None = None
    """What is quoted for it; None where the articles do not answer it."""

    @property
    def label(self) -> Label:
        return self.found.label


class Several:
    """Made of the pipeline's own stages; `relevance` is the gate each part has to pass.

    `together`: the turn's own answerer reads the passages of all parts, and answers the message as one. Otherwise, and
    where that fails, `answerer` quotes for each part by itself.
    """

    def __init__(
        self,
        retriever: Retriever,
        classifier: Classifier,
        calibrator: Calibrator,
        answerer: Answerer,
        critic: Critic | None,
        relevance: float,
        *,
        together: bool = False,
        besides: Callable[[Evidence], Evidence] | None = None,
    ) -> None:
        self._retriever = retriever
        self._classifier = classifier
        self._calibrator = calibrator
        self._answerer = answerer
        self._critic = critic
        self._relevance = relevance
        self._together = together
        self._whole = besides if besides is not None else lambda evidence: evidence

    async def answer(self, turn: TurnInFlight, write: Write) -> Joint | None:
        """None where the message asks one thing, or no part of it is answered by itself.

        One with a serious part has it in `serious`, whether another one is answered or not.
        """
        classification, question = turn.classification, turn.question
        free = classification.label in PARTED and classification.rule is None and not turn.reading.depends
        if not free or question.suspicious:
            return None
        text = classification.asks or question.text
        if not pieces_of(text) and not questions_of(text):
            return None
        async with turn.stage("retrieve") as span:
            try:
                parts = await turn.in_time(self._parts_of(question, classification, text), LARGE_SHARE)
            except HandrailError:
                return None
            span.record(output=[(part.text, part.confidence, part.passed) for part in parts])
        grave = [part for part in parts if part.label is Label.HIGH_STAKES]
        if not parts or (not grave and classification.label is Label.HIGH_STAKES):
            return None
        if grave:
            return await self._beside(turn, grave, [part for part in parts if part not in grave])
        if self._together:
            return await self._written(turn, classification, parts, write)
        return _joint(turn.question, parts, turn.wording)

    async def _parts_of(self, question: Question, classification: Classification, text: str) -> list[_Part]:
        """Questions, or whatever else a message is made of where some of it may be serious; none where it is one."""
        # Of a message in another language only the whole is heard, in which a serious half weighs less.
        foreign = written_in(question) != language.DEFAULT
        if foreign or classification.probabilities.get(Label.HIGH_STAKES, 0.0) >= MAYBE_SERIOUS:
            mixed = await self._mixed(question, pieces_of(text))
            if mixed:
                return await self._parts(question, classification, mixed)
        if classification.label is Label.HIGH_STAKES:
            return []
        texts = questions_of(text)
        return await self._parts(question, classification, texts) if texts else []

    async def _mixed(self, question: Question, pieces: Sequence[str]) -> list[str]:
        """The pieces that are surely serious as one text, and each that surely asks something else.

        Empty where all of it is of one kind. What is neither belongs to the piece before it.
        """
        found = [await self._label(replace(question, text=piece)) for piece in pieces]
        sure = [one.label if one.probability >= SURELY else None for one in found]
        grave: list[str] = []
        others: list[str] = []
        last = grave
        for piece, label in zip(pieces, sure, strict=True):
            if label is Label.HIGH_STAKES:
                last = grave
            elif label in BESIDE_IT and (label is Label.ANSWERABLE or asks(piece)):
                others.append(piece)
                last = others
                continue
            if last is others and others and label is not Label.HIGH_STAKES:
                others[-1] = f"{others[-1]} {piece}"
            else:
                grave.append(piece)
        if Label.HIGH_STAKES not in sure or not others:
            return []
        serious = " ".join(piece if piece[-1:] in ".?!" else f"{piece}." for piece in grave)
        return [serious, *others[: MOST - 1]]

    async def _label(self, asked: Question) -> Classification:
        return await self._classifier.classify(asked, await self._retriever.probe(asked.text))

    async def _beside(self, turn: TurnInFlight, grave: Sequence[_Part], others: Sequence[_Part]) -> Joint | None:
        """The serious parts as one, for a reply of their own, and quotations for the others."""
        sure = max(grave, key=lambda part: part.found.probability)
        asked = replace(turn.question, text=" ".join(part.text for part in grave))
        try:
            probe = await self._retriever.probe(asked.text)
            evidence = self._whole(await self._retriever.retrieve(asked.text, asked.filters, probe))
            quoted = [await self._quoted(part, part.found) for part in others]
        except HandrailError:
            return None
        serious = Serious(asked, sure.found, evidence, self._calibrator.probability(evidence))
        joint = _joint(turn.question, quoted, turn.wording, alone=False)
        if joint is not None:
            return replace(joint, serious=serious)
        closing = _closing(quoted, turn.wording)
        nothing = Draft((), QUOTED, closing=closing)
        return Joint(Evidence(asked.text, ()), nothing, serious.confidence, closing is not None, serious)

    async def _written(
        self, turn: TurnInFlight, classification: Classification, parts: Sequence[_Part], write: Write
    ) -> Joint | None:
        passed = [part for part in parts if part.passed]
        if not passed:
            return None
        evidence = _interleaved(turn.question, passed)
        draft = await write(turn, evidence)
        if draft.provider == QUOTED:
            quoted = [await self._quoted(part, classification) for part in parts]
            joint = _joint(turn.question, quoted, turn.wording)
            if joint is not None:
                return joint
        closing = _closing([part for part in parts if not part.passed and not _answers(draft, part)], turn.wording)
        weakest = min(part.confidence for part in passed)
        return Joint(evidence, replace(draft, closing=closing), weakest, closing is not None)

    async def _parts(self, question: Question, classification: Classification, texts: Sequence[str]) -> list[_Part]:
        first = await self._part(question, classification, texts[0], None)
        # What is asked beside a serious matter would be one, too, if it were read with it.
        before = None if first.label is Label.HIGH_STAKES else first
        rest = (self._part(question, classification, text, before if points_back(text) else None) for text in texts[1:])
        return [first, *await asyncio.gather(*rest)]

    async def _part(self, question: Question, classification: Classification, text: str, before: _Part | None) -> _Part:
        reading = _read(text, before) if before is not None else Reading(text)
        asked = replace(question, text=reading.text)
        probe = await self._retriever.probe(reading.text)
        found = await self._classifier.classify(asked, probe)
        if found.label is not Label.ANSWERABLE:
            return _Part(text, asked, found, Evidence(text, ()), 0.0, passed=False)
        depends = reading if reading.depends else None
        evidence = self._whole(await self._retriever.retrieve(reading.text, question.filters, probe, depends))
        confidence = self._calibrator.probability(evidence)
        passed = bool(evidence.hits) and confidence >= self._relevance
        part = _Part(text, asked, found, evidence, confidence, passed)
        return part if self._together else await self._quoted(part, classification)

    async def _quoted(self, part: _Part, classification: Classification) -> _Part:
        if not part.passed or part.draft is not None:
            return part
        draft = await self._answerer.answer(part.asked, classification, part.evidence)
        critic = self._critic if draft.claims else None
        critique = await critic.critique(part.asked, draft, part.evidence) if critic else None
        answered = bool(draft.claims) and (critique is None or critique.verdict is not Verdict.CANNOT)
        sure = part.confidence if critique is None or critique.probability is None else critique.probability
        return replace(part, confidence=sure, passed=answered, draft=draft if answered else None)


def _read(text: str, before: _Part) -> Reading:
    """A part that points back, with the question before it and what was found for that."""
    found = [hit.passage for hit in before.evidence.hits if hit.passage.id in _favoured(before)]
    titles = tuple(dict.fromkeys(passage.title for passage in found))
    articles = tuple(dict.fromkeys(passage.article_id for passage in found))
    past = Exchange(before.text, before.text, before.text, Routing.ANSWERED, articles, titles)
    return carried(text, past, past if articles else None, sure=True)


def _favoured(part: _Part) -> set[str]:
    """Passages that a part was answered from, or will be first."""
    if part.draft is not None:
        return {id_ for claim in part.draft.claims for id_ in claim.passage_ids}
    return {part.evidence.hits[0].passage.id} if part.passed else set()


def _interleaved(question: Question, parts: Sequence[_Part]) -> Evidence:
    """What was found for all parts, the best of each first, then the second best; signals are the weakest part's."""
    weakest = min(parts, key=lambda part: part.confidence)
    hits: dict[str, Hit] = {}
    for rank in zip_longest(*(part.evidence.hits for part in parts)):
        for hit in rank:
            if hit is not None:
                hits.setdefault(hit.passage.id, hit)
    best = {part.evidence.hits[0].passage.id for part in parts}
    besides = tuple(hit for part in parts for hit in part.evidence.besides)
    return Evidence(question.text, tuple(hits.values()), weakest.evidence.signals, questions=len(best), besides=besides)


def _answers(draft: Draft, part: _Part) -> bool:
    """Whether a draft that is said to answer everything speaks of a part for which nothing was found."""
    said = " ".join(claim.text for claim in draft.claims)
    return draft.self_verdict is Verdict.FULLY and coverage(part.text, said, {}, 1.0) >= SPOKEN_OF


def _closing(parts: Sequence[_Part], wording: Wording) -> str | None:
    """A word about the parts that stay open; None where none does."""
    left_open = [wording.quoted(part.text) for part in parts if part.label in ASKED]
    return wording.say("left_open", questions=" ".join(left_open)) if left_open else None


def _joint(question: Question, parts: Sequence[_Part], wording: Wording, *, alone: bool = True) -> Joint | None:
    """None where no part is answered. `alone`: nothing else stands in the reply, so that one answer needs no title."""
    answered = [(part, part.draft) for part in parts if part.draft is not None]
    if not answered:
        return None
    weakest, drafted = min(answered, key=lambda both: both[0].confidence)
    claims: list[Claim] = []
    said: set[str] = set()
    for part, draft in answered:
        new = [claim for claim in draft.claims if claim.text not in said]
        said |= {claim.text for claim in new}
        claims += _titled(new, part.evidence) if len(answered) > 1 or not alone else new
    hits: dict[str, Hit] = {}
    for part, _ in answered:
        hits |= {hit.passage.id: hit for hit in part.evidence.hits if hit.passage.id not in hits}
    besides = tuple(hit for part, _ in answered for hit in part.evidence.besides)
    evidence = Evidence(question.text, tuple(hits.values()), weakest.evidence.signals, besides=besides)
    open_ = _closing([part for part in parts if part.draft is None], wording)
    closing = joined(*(draft.closing for _, draft in answered), open_)
    draft = replace(drafted, claims=tuple(claims), closing=closing)
    return Joint(evidence, draft, weakest.confidence, open_ is not None)


def with_beside(draft: Draft, evidence: Evidence, joint: Joint) -> tuple[Draft, Evidence]:
    """The reply to a serious part with the answers of the others behind it, and all that they rest on."""
    said = {claim.text for claim in draft.claims}
    claims = (*draft.claims, *(claim for claim in joint.draft.claims if claim.text not in said))
    hits = {hit.passage.id: hit for hit in (*evidence.hits, *joint.evidence.hits)}
    both = replace(evidence, hits=tuple(hits.values()), besides=(*evidence.besides, *joint.evidence.besides))
    return replace(draft, claims=claims, closing=joined(joint.draft.closing, draft.closing)), both


def joined(*paragraphs: str | None) -> str | None:
    """Those that say something, each once; None for none."""
    return "\n\n".join(dict.fromkeys(filter(None, paragraphs))) or None


def _titled(claims: Sequence[Claim], evidence: Evidence) -> list[Claim]:
    """Under the title of the article, where they do not begin with a heading."""
    if not claims or claims[0].text.startswith("**"):
        return list(claims)
    title = evidence.given[claims[0].passage_ids[0]].passage.title.rstrip(":.")
    heading = f"**{title}**" if title.endswith("?") else f"**{title}:**"
    return [replace(claims[0], text=f"{heading}\n\n{claims[0].text}"), *claims[1:]]
