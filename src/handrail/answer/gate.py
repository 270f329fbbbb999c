"""Three bands: a section is given as the answer, shown as one that looks closest, or not shown."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from handrail.models.calibration import Calibration
from handrail.types import Evidence

WORTH_A_CARD = 4
"""How much less likely than the closest band's bound a card beside the first may be."""


class Band(StrEnum):
    ANSWERED = "answered"
    CLOSEST = "closest"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Bands:
    """The two probabilities between the bands, as they were fitted; an operator's own take their place."""

    answered: float
    closest: float

    @classmethod
    def of(cls, gate: Calibration, answered: float | None, closest: float | None) -> Bands:
        upper = gate.threshold if answered is None else answered
        lower = gate.closest if closest is None else closest
        return cls(upper, min(lower, upper))

    def band(self, evidence: Evidence) -> Band:
        """By the likeliest section."""
        likely = evidence.probability
        if likely >= self.answered:
            return Band.ANSWERED
        return Band.CLOSEST if likely >= self.closest else Band.NOTHING

    def least(self, evidence: Evidence) -> float:
        """Probability from which a section is worth a card beside the best one."""
        return min(self.closest, evidence.probability) / WORTH_A_CARD
