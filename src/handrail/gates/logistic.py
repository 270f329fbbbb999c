"""The gate's probability from retrieval signals."""

from __future__ import annotations

from handrail.calibration import Calibration, fitting, probability
from handrail.types import Evidence


class LogisticCalibrator:
    def __init__(self, calibration: Calibration, across: Calibration | None = None) -> None:
        """`across` is for evidence that was found for a message in another language than the articles."""
        self._calibration, self._across = calibration, across

    def probability(self, evidence: Evidence) -> float:
        """0 where there is nothing to read, or the question is about a code that no article names."""
        if not evidence.hits or evidence.unlisted:
            return 0.0
        return probability(fitting(self._calibration, self._across, evidence.signals), evidence.signals)
