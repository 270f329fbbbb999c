"""Why an agent should look at a conversation that the assistant holds, and how soon: the operator's policy says so."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum, StrEnum

from handrail.settings import Desk
from handrail.types import Label, Turn

CRISIS_RULE = "crisis"
FAILED = 2
"""Questions of a conversation without an answer from which a person should look at it."""


class Concern(StrEnum):
    CRISIS = "crisis"
    HIGH_STAKES = "high_stakes"
    UNANSWERED = "unanswered"
    """Counts once `FAILED` questions of the conversation had no answer."""


class Priority(IntEnum):
    OFF = 0
    NORMAL = 1
    HIGH = 2
    URGENT = 3


Concerns = Mapping[Concern, Priority]


def concerns_of(turn: Turn, desk: Desk) -> Concerns:
    """What a turn gives reason for, with its priority; nothing that the operator has turned off."""
    found = {
        Concern.CRISIS: (turn.classification.rule == CRISIS_RULE, desk.crisis_priority),
        Concern.HIGH_STAKES: (turn.classification.label is Label.HIGH_STAKES, desk.high_stakes_priority),
        Concern.UNANSWERED: (turn.outcome.refused, desk.unanswered_priority),
    }
    return {one: Priority[name.upper()] for one, (holds, name) in found.items() if holds and name != "off"}
