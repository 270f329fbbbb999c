"""The closed sets that every stage shares: what a message is, and what becomes of it."""

from __future__ import annotations

from enum import StrEnum


class Label(StrEnum):
    """What a message is, decided before anything is looked up."""

    ANSWERABLE = "answerable"
    HIGH_STAKES = "high_stakes"
    OUT_OF_SCOPE = "out_of_scope"
    IRRELEVANT = "irrelevant"
    NONSENSE = "nonsense"


class Routing(StrEnum):
    """What the visitor sees: the contract between the pipeline and the widget."""

    ANSWERED = "answered"
    PARTIALLY_ANSWERED = "partially_answered"
    LOW_CONFIDENCE = "low_confidence"
    FOLLOWUP = "followup"
    CANNOT_ANSWER = "cannot_answer"
    HIGH_STAKES = "high_stakes"
    OUT_OF_SCOPE = "out_of_scope"
    IRRELEVANT = "irrelevant"
    NONSENSE = "nonsense"
    HANDED_OFF = "handed_off"
    UNAVAILABLE = "unavailable"


CLAIMING = frozenset({Routing.ANSWERED, Routing.PARTIALLY_ANSWERED})
"""What is shown as the answer."""
ANSWERING = frozenset({Routing.ANSWERED, Routing.PARTIALLY_ANSWERED, Routing.LOW_CONFIDENCE, Routing.HIGH_STAKES})


class RefusalReason(StrEnum):
    """Why a turn is not an answer: machine-readable and never localised."""

    NO_RELEVANT_CONTEXT = "no_relevant_context"
    LOW_EVIDENCE = "low_evidence"
    INVALID_CITATIONS = "invalid_citations"
    UNSUPPORTED_CLAIMS = "unsupported_claims"
    POLICY = "policy"
    OFF_TOPIC = "off_topic"
    NO_INTENT = "no_intent"
    BUDGET_EXHAUSTED = "budget_exhausted"
    PROVIDER_UNAVAILABLE = "provider_unavailable"
    PERSON_ANSWERS = "person_answers"
    PAUSED = "paused"


class Verdict(StrEnum):
    """The self-critique's judgement of a draft."""

    FULLY = "fully"
    PARTLY = "partly"
    CANNOT = "cannot"


class Offer(StrEnum):
    """How a person is offered beside the reply."""

    NONE = "none"
    LINK = "link"
    BUTTON = "button"
