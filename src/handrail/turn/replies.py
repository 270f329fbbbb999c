"""What is said without an answer from the articles: courtesies, questions back, refusals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from handrail.answer.gate import Band
from handrail.turn import outcome
from handrail.turn.found import Found
from handrail.turn.state import TurnInFlight
from handrail.turn.wording import Wording
from handrail.types import (
    Act,
    Asked,
    Card,
    Classification,
    Draft,
    Escalation,
    Label,
    Offer,
    Outcome,
    Question,
    RefusalReason,
    Routing,
    Understanding,
)

COURTESIES = {
    Act.GREETING: "greeting",
    Act.THANKS: "thanks",
    Act.YES: "yes",
    Act.NO: "no",
    Act.CHAT: "chat",
    Act.ABOUT_ASSISTANT: "about_assistant",
}
AGAIN = frozenset({Routing.FOLLOWUP, Routing.LOW_CONFIDENCE, Routing.CANNOT_ANSWER})
LATELY = 2
CRISIS = "crisis"
"""The rule that a classification names where somebody may be about to come to harm."""
GOES_ON = 0.5
"""Probability of needing what was said before, from which a message goes on about a serious matter."""
MAY_BE_SERIOUS = 0.25
"""Probability of high stakes from which a person is in sight, whatever the label."""
TELLS = 0.5
"""Probability from which the kind of a serious matter is acted on."""


def courtesy(understood: Understanding, question: Question, wording: Wording, topics: Sequence[str]) -> Outcome | None:
    """The reply to a greeting, thanks, a yes or a no, or the wish for a person; None for what asks something else."""
    told = understood.whole.senses[0].classification
    if understood.wants_person and len(understood.requests) == 1 and told.label is not Label.HIGH_STAKES:
        return outcome.static(Label.OUT_OF_SCOPE, wording, (), "person")
    rule = COURTESIES.get(understood.act)
    if rule is None or (understood.act in (Act.CHAT, Act.ABOUT_ASSISTANT) and told.label is Label.NONSENSE):
        return None
    last = question.history[-1] if question.history else None
    serious = told.label is Label.HIGH_STAKES or (last is not None and last.routing is Routing.HIGH_STAKES)
    if understood.refuses_offer and last is not None and serious:
        return None  # what was asked for is still wanted, only the offer is not
    if understood.act is Act.NO and understood.refuses_offer:
        rule = "chat"  # which offers nothing again
    return outcome.static(Label.IRRELEVANT, wording, topics, rule)


def turned_away(parts: Sequence[Found], wording: Wording, topics: Sequence[str]) -> Outcome:
    """The fixed reply to a message of which nothing is for the articles: that of the part a person could settle."""
    label = next((part.label for part in parts if part.label is Label.OUT_OF_SCOPE), parts[0].label)
    return outcome.static(label, wording, topics)


def nothing_found(
    parts: Sequence[Found],
    cards: Sequence[Card],
    understood: Understanding,
    question: Question,
    wording: Wording,
    topics: Sequence[str],
) -> Outcome:
    """The closest sections; else one question back, and a person where that was asked before or would not help."""
    best = max((part.evidence for part in parts), key=lambda evidence: evidence.probability)
    confidence = best.probability
    unlisted = next((part.evidence.unlisted for part in parts if part.evidence.unlisted), ())
    if unlisted:
        return outcome.not_listed(unlisted, wording, confidence)
    if cards:
        given = {hit.passage.id: hit for part in parts for hit in part.evidence.hits}
        return outcome.closest(cards, given, confidence, wording)
    failed = understood.act in (Act.WRONG_ANSWER, Act.STILL_FAILS)
    lately = question.history[-LATELY:]
    if any(past.routing in AGAIN for past in lately) or (failed and lately):
        return outcome.cannot_answer(RefusalReason.LOW_EVIDENCE, wording, confidence)
    return outcome.followup(wording, topics, confidence)


def asked(parts: Sequence[Found], answered: Sequence[Found], result: Outcome) -> list[Asked]:
    """What became of each request of a message that makes several."""
    if len(parts) == 1:
        return []
    left = Routing.CANNOT_ANSWER if answered else result.routing
    return [part.asked(result.routing if part in answered else left, result.citations) for part in parts]


def bands_of(parts: Sequence[Found]) -> dict[str, str]:
    """For traces: each request's text and band."""
    return {part.request.text: (part.band if not part.static else Band.NOTHING).value for part in parts}


def classified(understood: Understanding, result: Outcome) -> Classification:
    """What a message that got a fixed reply counts as."""
    label = Label(result.routing.value)
    return Classification(label, 1.0, "local", {label: 1.0}, rule=understood.act.value)


def counted(part: Found) -> Classification:
    """What the message counts as that `part` leads, with the kind of serious matter where that is likely enough."""
    classification, understood = replace(part.sense.classification, label=part.label), part.sense.probe.understood
    if not part.grave or understood is None or not understood.matters:
        return classification
    matter = max(understood.matters, key=understood.matters.__getitem__)
    return replace(classification, matter=matter) if understood.matters[matter] >= TELLS else classification


def with_refusals(question: Question, understood: Understanding) -> Question:
    """The question with what is known of refused offers."""
    before = question.declined_before or understood.refused_before
    return replace(question, declines=understood.refuses_offer, declined_before=before)


def with_open(draft: Draft, parts: Sequence[Found], wording: Wording) -> Draft:
    """The draft with a word about the requests that stay open."""
    if not parts:
        return draft
    said = wording.say("left_open", questions=" ".join(wording.quoted(part.request.text) for part in parts))
    return replace(draft, closing="\n\n".join(filter(None, (draft.closing, said))))


def person_in_sight(result: Outcome, turn: TurnInFlight) -> Outcome:
    """With an offer of a person for whoever may have a serious matter, or has not been helped by the last answer."""
    understood, classification = turn.understood, turn.classification
    if result.escalation.offer is Offer.BUTTON or result.routing is Routing.NONSENSE:
        return result
    history = turn.question.history
    last = history[-1] if history else None
    goes_on = last is not None and last.routing is Routing.HIGH_STAKES and understood.depends >= GOES_ON
    if understood.wants_person or (classification.label is Label.HIGH_STAKES) or goes_on:
        return replace(result, escalation=Escalation(Offer.BUTTON, "high_stakes"))
    if result.escalation.offer is not Offer.NONE:
        return result
    if understood.act in (Act.STILL_FAILS, Act.WRONG_ANSWER) and last is not None:
        return replace(result, escalation=Escalation(Offer.LINK, "not_solved"))
    if classification.probabilities.get(Label.HIGH_STAKES, 0.0) >= MAY_BE_SERIOUS:
        return replace(result, escalation=Escalation(Offer.LINK, "high_stakes"))
    return result
