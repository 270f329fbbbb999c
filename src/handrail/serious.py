"""A serious matter: what is quoted beside it, which offers are refused, and what is said after it.

A passage that misses it makes an angry customer angrier, and so does an offer that was refused; and who asks something
else afterwards is answered like anybody else.
"""

from __future__ import annotations

from dataclasses import replace

from handrail.asking import OTHERS, speaks_of_himself
from handrail.converse.serious import SeriousTalk
from handrail.converse.several import pieces_of
from handrail.generate import Critic
from handrail.rescue import says_what_to_do
from handrail.retrieve import Retriever
from handrail.types import (
    Classification,
    Draft,
    Escalation,
    Evidence,
    Label,
    Offer,
    Outcome,
    Probe,
    Question,
    Reading,
    Routing,
)

LIKELY = 0.5
"""Probability from which a message refuses offers, and from which it goes on about the serious matter before it."""
EARLIER = 20
"""Messages that are read for a refusal where the memory of the conversation is lost."""
NEARER = 0.1
"""Cosine by which a message has to be nearer to a serious matter than to what was asked after it, to go on about it."""
ABOUT_IT = 0.0
"""Cross-encoder logit from which a passage is about the message rather than only like it in words."""


async def quotes_fit(critic: Critic | None, question: Question, draft: Draft, evidence: Evidence, sure: float) -> bool:
    """Whether what `draft` quotes surely fits: its best passage is about the message, and the critic gives it `sure`.

    What to do in an emergency is not held back. What the articles say of the visitor's own customers is no answer to
    somebody who speaks of himself. Without a critic, or with nothing quoted, there is nothing to hold back.
    """
    if not draft.claims or says_what_to_do(draft.claims):
        return True
    if speaks_of_himself(question.text) and _about_others(draft, evidence):
        return False
    if evidence.signals.get("rerank_top", ABOUT_IT) < ABOUT_IT:
        return False
    right = (await critic.critique(question, draft, evidence)).probability if critic else None
    return right is None or right >= sure


def _about_others(draft: Draft, evidence: Evidence) -> bool:
    cited = {id_ for claim in draft.claims for id_ in claim.passage_ids}
    passages = [hit.passage for id_, hit in evidence.given.items() if id_ in cited]
    above = [" ".join((passage.title, *passage.headings)) for passage in passages]
    return bool(above) and all(OTHERS.search(words) for words in above)


async def look_back(talk: SeriousTalk, retriever: Retriever, message: Question, said: Probe) -> tuple[Question, bool]:
    """The message with whether it refuses offers, and whether it goes on about a serious matter; `said` is its probe.

    One that does is read with that matter, even where something else was asked in between, unless it rather goes on
    about that.
    """
    if message.suspicious:
        return message, False
    message = replace(message, declines=talk.declines(said.embedding) >= LIKELY)
    asked = [past for past in message.history if past.question and not past.with_person]
    grave = next((past for past in reversed(asked) if past.routing is Routing.HIGH_STAKES), None)
    if grave is None:
        return message, False
    before = (await retriever.probe(grave.question)).embedding
    goes_on = talk.continues(said.embedding, before) >= LIKELY
    if goes_on and asked[-1] is not grave:
        between = (await retriever.probe(asked[-1].question)).embedding
        goes_on = float(said.embedding @ (before - between)) >= NEARER
    if not goes_on:
        return message, False
    return replace(message, history=message.history[: message.history.index(grave) + 1]), True


async def without_refusal(talk: SeriousTalk, retriever: Retriever, question: Question) -> Question:
    """A serious message less the pieces of it that refuse an offer, which would only blur what is looked up for it.

    `declines` is set where the whole, or a piece, does so, and `declined_before` where one of `earlier` does.
    """
    pieces = pieces_of(question.text)
    probes = [await retriever.probe(piece) for piece in pieces]
    refused = [talk.declines(probe.embedding) >= LIKELY for probe in probes]
    kept = [piece for piece, refuses in zip(pieces, refused, strict=True) if not refuses]
    declines = question.declines or any(refused)
    text = " ".join(kept) if declines and kept else question.text
    if not question.declined:
        before = [await retriever.probe(past) for past in question.earlier[-EARLIER:]]
        question = replace(question, declined_before=any(talk.declines(probe.embedding) >= LIKELY for probe in before))
    return replace(question, text=text, declines=declines)


def leaves_it(reading: Reading, message: Question, *, goes_on: bool) -> bool:
    """Whether a message that is read with the serious one before it asks about something else."""
    last = message.history[-1] if message.history else None
    serious = last is not None and last.routing is Routing.HIGH_STAKES
    return serious and not goes_on and reading.kind == "follow_up"


def still_offered(result: Outcome, found: Classification) -> Outcome:
    """A person is in sight of whoever goes on about a serious matter, whatever he is told."""
    if (
        found.rule is not None
        or found.label in (Label.IRRELEVANT, Label.NONSENSE)
        or result.escalation.offer is Offer.BUTTON
    ):
        return result
    return replace(result, escalation=Escalation(Offer.BUTTON, "high_stakes"))
