"""Fitted logistic regressions over named signals: what turns scores into probabilities."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from handrail.errors import SettingsError


class Calibration(BaseModel):
    """Weights of standardised signals, and what they were fitted on."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    reranker: str
    embedder: str
    intercept: float
    weights: dict[str, float]
    means: dict[str, float]
    scales: dict[str, float]
    fitted_on: str
    n: int
    index: str = ""
    """Generation of the knowledge base it was fitted to; empty for the gates that ship."""
    reader: str = ""
    """Digest of the reading whose log-odds are among the signals."""
    threshold: float
    """Probability from which a section is given as the answer: set so that at most the stated share is wrong."""
    closest: float
    """Probability from which it is shown as one that looks closest; below it nothing is."""


def probability(calibration: Calibration, signals: Mapping[str, float]) -> float:
    """In (0, 1); a missing signal counts as its training mean."""
    total = calibration.intercept
    for name, weight in calibration.weights.items():
        value = signals.get(name, calibration.means[name])
        total += weight * (value - calibration.means[name]) / calibration.scales[name]
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total))))


def load_calibration(name: str, path: Path | None = None) -> Calibration:
    """The file given, or the one of that name that ships. Raises SettingsError when it is not a calibration."""
    source = path if path is not None else files("handrail.models") / "bundle" / f"{name}.json"
    try:
        return Calibration.model_validate(json.loads(source.read_text(encoding="utf-8")))
    except (OSError, ValueError, ValidationError) as error:
        raise SettingsError(f"{source}: not a calibration file: {error}") from None
