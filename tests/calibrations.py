"""Gates of one or two signals."""

from __future__ import annotations

from collections.abc import Mapping

from handrail.models.calibration import Calibration


def gate_of(
    weights: Mapping[str, float],
    means: Mapping[str, float] | None = None,
    scales: Mapping[str, float] | None = None,
    *,
    threshold: float = 0.6,
    closest: float = 0.3,
) -> Calibration:
    """A gate that tosses a coin where all signals are at their means: 0 and 1 apart unless told otherwise."""
    return Calibration(
        reranker="r",
        embedder="e",
        intercept=0.0,
        weights=dict(weights),
        means=dict.fromkeys(weights, 0.0) | dict(means or {}),
        scales=dict.fromkeys(weights, 1.0) | dict(scales or {}),
        fitted_on="a test",
        n=100,
        threshold=threshold,
        closest=closest,
    )
