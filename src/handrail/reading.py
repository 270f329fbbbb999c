"""How a message's history changes what the pipeline works on."""

from __future__ import annotations

from dataclasses import replace

from handrail.asking import names_somebody
from handrail.converse.cues import grave, still_fails
from handrail.converse.dependence import self_contained
from handrail.types import Classification, Escalation, Label, Offer, Outcome, Question, Reading, Routing

TURNED_AWAY = frozenset({Label.NONSENSE, Label.IRRELEVANT, Label.OUT_OF_SCOPE})
NO_QUESTION = frozenset({Label.NONSENSE, Label.IRRELEVANT})
CALM = frozenset({Routing.ANSWERED, Routing.PARTIALLY_ANSWERED, Routing.LOW_CONFIDENCE})
SURE_ALONE = 0.85
"""Probability from which a whole message that is no question for the articles stays none, whatever came before."""
SERIOUS_ALONE = 0.95
"""Probability from which a few words are serious by themselves, beside a question that is not."""
SERIOUS_WORDED = 0.75
"""The same where they name what is serious: money, a complaint, leaving; not what somebody else paid."""


def understood(question: Question, reading: Reading) -> Question:
    """The question that every later stage sees."""
    return question if reading.text == question.text else replace(question, text=reading.text)


def trouble_goes_on(message: Question) -> bool:
    """Whether the visitor says, after an answer, that it has not helped."""
    answered = any(exchange.answer for exchange in message.history[-2:])
    return answered and still_fails(message.text)


def not_solved(result: Outcome, message: Question) -> Outcome:
    """A person is in sight of somebody whom the last answer has not helped, whatever the next one says."""
    if result.escalation.offer is not Offer.NONE or not result.answers or not trouble_goes_on(message):
        return result
    return replace(result, escalation=Escalation(Offer.LINK, "not_solved"))


def serious_by_itself(alone: Classification, reading: Reading, message: Question) -> bool:
    """Whether a message that was taken for a serious matter says so, rather than saying next to nothing.

    What corrects a question is read with it, unless it names a serious matter.
    """
    worded = grave(message.text) and not names_somebody(message.text) and alone.probability >= SERIOUS_WORDED
    return worded or (reading.kind != "correction" and alone.probability >= SERIOUS_ALONE)


def serious_together(together: Classification, message: Question) -> bool:
    """Whether a message is serious with the one before it: surely so where that one was simply answered."""
    if together.label is not Label.HIGH_STAKES:
        return False
    calm = bool(message.history) and message.history[-1].routing in CALM
    return not calm or together.probability >= SERIOUS_ALONE


def label_of_follow_up(
    alone: Classification, together: Classification, reading: Reading, message: Question
) -> Classification:
    """The label of a follow-up, classified alone and with what it carries over; `message` is as it was written.

    Its standalone form decides: "why?" is no question, and with the one before it is one. What the message itself says
    counts twice: a threat to leave is high stakes after any question, and somebody who says that he did not mean his
    plan is no longer cancelling it. A few words such as "no, the other one" are no threat, though, whatever the
    classifier makes of them alone. After an answer a follow-up is a question about it, however little it says, unless
    the message itself is for a person to settle, or is a whole sentence about something else. That what was advised
    has not helped, or takes long, is no complaint yet.
    """
    if together.by == "rule":
        return together
    if reading.kind == "complaint":
        return together if together.label is Label.HIGH_STAKES else replace(together, label=Label.ANSWERABLE)
    if alone.label is Label.HIGH_STAKES:
        goes_on = together.label is Label.ANSWERABLE and trouble_goes_on(message)
        if not goes_on and (serious_by_itself(alone, reading, message) or serious_together(together, message)):
            return alone
        alone = replace(alone, label=Label.ANSWERABLE)
        if together.label is Label.HIGH_STAKES:
            return replace(together, label=Label.ANSWERABLE, probability=1.0 - together.probability)
    if alone.label in NO_QUESTION and alone.probability >= SURE_ALONE and self_contained(message.text):
        return alone
    corrected = reading.kind == "correction" and alone.label is Label.ANSWERABLE
    if together.label is Label.HIGH_STAKES and corrected:
        return alone
    answered = bool(message.history) and bool(message.history[-1].answer)
    if answered and together.label in TURNED_AWAY and alone.label is not Label.OUT_OF_SCOPE:
        return replace(together, label=Label.ANSWERABLE, probability=1.0 - together.probability)
    return together
