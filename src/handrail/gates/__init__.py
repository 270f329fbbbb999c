"""Calibrated probability that the evidence holds the answer."""

from typing import Protocol

from handrail.types import Evidence


class Calibrator(Protocol):
    def probability(self, evidence: Evidence) -> float:
        """In [0, 1]: of the questions given this value, that share is answerable from its passages."""
        ...
