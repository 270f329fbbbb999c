"""The gate's probability from retrieval signals."""

from __future__ import annotations

from handrail.calibration import Calibration, probability
from handrail.types import Evidence


class LogisticCalibrator:
    def __init__(self, calibration: Calibration) -> None:
        self._calibration = calibration

    def probability(self, evidence: Evidence) -> float:
        return probability(self._calibration, evidence.signals) if evidence.hits else 0.0
