"""The gate's probability from retrieval signals."""

from __future__ import annotations

from handrail.calibration import Calibration, probability
from handrail.types import Evidence


class LogisticCalibrator:
    def __init__(self, calibration: Calibration) -> None:
        self._calibration = calibration

    def probability(self, evidence: Evidence) -> float:
        """0 where there is nothing to read, or the question is about a code that no article names."""
        if not evidence.hits or evidence.unlisted:
            return 0.0
        return probability(self._calibration, evidence.signals)
