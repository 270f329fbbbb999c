"""Constructors for every outcome: the one place where a routing gets its words, links and offer of a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from handrail.errors import NotGrounded, NotSupported
from handrail.turn.wording import Wording
from handrail.types import (
    CLAIMING,
    Card,
    Citation,
    Draft,
    Escalation,
    Hit,
    Label,
    Offer,
    Outcome,
    RefusalReason,
    Routing,
    Source,
    Verdict,
)
from handrail.types.people import People

STATIC: dict[Label, tuple[Routing, RefusalReason, Escalation]] = {
    Label.NONSENSE: (Routing.NONSENSE, RefusalReason.NO_INTENT, Escalation()),
    Label.IRRELEVANT: (Routing.IRRELEVANT, RefusalReason.OFF_TOPIC, Escalation()),
    Label.OUT_OF_SCOPE: (Routing.OUT_OF_SCOPE, RefusalReason.POLICY, Escalation(Offer.BUTTON, "out_of_scope")),
}

LINKS = {Verdict.FULLY: 2, Verdict.PARTLY: 1, Verdict.CANNOT: 0}
"""Source links shown for each verdict of the self-critique."""
ASKED_FOR = Escalation(Offer.BUTTON, "visitor_request")


def static(label: Label, wording: Wording, topics: Sequence[str] = (), rule: str | None = None) -> Outcome:
    """The reply of a class; a greeting, thanks or the wish for a person gets its own words."""
    routing, reason, escalation = STATIC[label]
    chips = () if routing is Routing.OUT_OF_SCOPE else tuple(topics)
    words = wording.say(rule or routing.value)
    return Outcome(routing, words, reason, suggestions=chips, escalation=ASKED_FOR if rule == "person" else escalation)


def followup(wording: Wording, topics: Sequence[str], confidence: float) -> Outcome:
    """Ask one clarifying question. What was found is not named: an article that is not likely only leads astray."""
    return Outcome(
        Routing.FOLLOWUP,
        wording.say("followup"),
        RefusalReason.NO_RELEVANT_CONTEXT,
        suggestions=tuple(topics),
        confidence=confidence,
    )


def answered(
    answer: str, verdict: Verdict, citations: Sequence[Citation], confidence: float, suggestions: Sequence[str] = ()
) -> Outcome:
    """`fully` or `partly` answered; the offer of a person is inline for the latter."""
    partly = verdict is Verdict.PARTLY
    return Outcome(
        Routing.PARTIALLY_ANSWERED if partly else Routing.ANSWERED,
        answer,
        citations=tuple(citations),
        sources=sources_of(citations, LINKS[verdict]),
        suggestions=tuple(suggestions),
        escalation=Escalation(Offer.LINK, "partly_answered") if partly else Escalation(),
        confidence=confidence,
    )


def partly(result: Outcome) -> Outcome:
    """A full answer to a part of what was asked: fewer links, and a person in sight."""
    return replace(
        result,
        routing=Routing.PARTIALLY_ANSWERED,
        sources=result.sources[: LINKS[Verdict.PARTLY]],
        escalation=Escalation(Offer.LINK, "partly_answered"),
    )


def proved(result: Outcome, draft: Draft, factuality: float | None, wording: Wording) -> Outcome:
    """An answer with its claims and their labels, and a word of caution above it where not all of it is proved."""
    told = replace(result, claims=tuple(draft.claims), factuality=factuality)
    plain = told.disclaimer is None and told.routing in CLAIMING
    unproved = any(claim.support == "unverified" for claim in draft.claims)
    return replace(told, disclaimer=wording.say("unproved")) if plain and unproved else told


def closest(cards: Sequence[Card], given: Mapping[str, Hit], confidence: float, wording: Wording) -> Outcome:
    """Sections that look closest, without the claim that one of them answers."""
    opened = [f"**{card.piece.heading}**\n\n{card.piece.markdown}" for card in cards if card.open]
    citations = [
        Citation(index, given[card.piece.passage_id].passage, round(confidence, 4), "unverified")
        for index, card in enumerate(cards, 1)
        if card.piece.passage_id in given
    ]
    return Outcome(
        Routing.LOW_CONFIDENCE,
        "\n\n".join([wording.say("closest"), *opened]),
        disclaimer=wording.say("not_sure"),
        citations=tuple(citations),
        escalation=Escalation(Offer.LINK, "low_confidence"),
        confidence=confidence,
        closest=tuple(cards),
    )


def low_confidence(answer: str, citations: Sequence[Citation], confidence: float, wording: Wording) -> Outcome:
    return Outcome(
        Routing.LOW_CONFIDENCE,
        answer,
        disclaimer=wording.say("low_confidence"),
        citations=tuple(citations),
        escalation=Escalation(Offer.LINK, "low_confidence"),
        confidence=confidence,
    )


def cannot_answer(reason: RefusalReason, wording: Wording, confidence: float) -> Outcome:
    key = "cannot_answer" if reason is RefusalReason.LOW_EVIDENCE else "withdrawn"
    return Outcome(
        Routing.CANNOT_ANSWER,
        wording.say(key),
        reason,
        escalation=Escalation(Offer.BUTTON, reason.value),
        confidence=confidence,
    )


def withheld(error: NotGrounded | NotSupported, wording: Wording, confidence: float) -> Outcome:
    """An answer was written, but does not stand."""
    refused = cannot_answer(RefusalReason(error.reason), wording, confidence)
    return replace(refused, factuality=error.factuality)


def not_listed(codes: Sequence[str], wording: Wording, confidence: float) -> Outcome:
    """The articles list codes of this kind, and not these."""
    refused = cannot_answer(RefusalReason.LOW_EVIDENCE, wording, confidence)
    return replace(refused, answer=wording.say("not_listed", codes=wording.either(list(codes))))


def high_stakes(answer: str, citations: Sequence[Citation], confidence: float) -> Outcome:
    return Outcome(
        Routing.HIGH_STAKES,
        answer,
        citations=tuple(citations),
        sources=sources_of(citations, 1),
        escalation=Escalation(Offer.BUTTON, "high_stakes"),
        confidence=confidence,
    )


def unavailable(wording: Wording, reason: RefusalReason = RefusalReason.PROVIDER_UNAVAILABLE) -> Outcome:
    key = "paused" if reason is RefusalReason.PAUSED else "unavailable"
    return Outcome(Routing.UNAVAILABLE, wording.say(key), reason, escalation=Escalation(Offer.BUTTON, reason.value))


def not_understood(result: Outcome, notice: str) -> Outcome:
    """A reply that led nowhere, perhaps because of the visitor's language: said so, with a person in sight."""
    offered = result.escalation.offer is not Offer.NONE
    escalation = result.escalation if offered else Escalation(Offer.LINK, "other_language")
    return replace(result, notice=notice, escalation=escalation)


def handed_off(text: str) -> Outcome:
    """A person answers, or is about to; `text` says who, or what to expect."""
    return Outcome(Routing.HANDED_OFF, text, RefusalReason.PERSON_ANSWERS)


def limit_offer(outcome: Outcome, people: People) -> Outcome:
    """Without an offer of a person where requests are read by nobody."""
    return outcome if people.reachable else replace(outcome, escalation=Escalation())


def sources_of(citations: Sequence[Citation], limit: int) -> tuple[Source, ...]:
    """The first `limit` different articles cited, best first."""
    seen: dict[str, Source] = {}
    for citation in citations:
        passage = citation.passage
        seen.setdefault(passage.article_id, Source(passage.title, passage.url))
    return tuple(seen.values())[:limit]
