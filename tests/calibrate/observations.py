"""Observations with one telling signal."""

from __future__ import annotations

import numpy as np

from handrail.calibrate import Asked, Observed
from handrail.calibrate.signals import ANSWER
from handrail.calibration import Calibration

CURRENT = Calibration(
    reranker="r",
    embedder="e",
    intercept=0.0,
    weights={"rerank_top": 0.2},
    means={"rerank_top": 0.0},
    scales={"rerank_top": 1.0},
    fitted_on="elsewhere",
    n=100,
)
"""A gate that knows the signal but trusts it too little."""


def observations(count: int = 200, telling: float = 3.0, seed: int = 1) -> list[Observed]:
    """Half answerable; `rerank_top` is `telling` apart between the two kinds, everything else says nothing."""
    rng = np.random.default_rng(seed)
    rows = []
    for number in range(count):
        answerable = number % 2 == 0
        signals = dict.fromkeys(ANSWER, 0.0) | {"rerank_top": float(rng.normal(telling if answerable else -telling))}
        gold = ("a:one",) if answerable else ()
        rows.append(Observed(Asked(f"question {number}", gold, answerable), signals, answerable, answerable, 0.0, {}))
    return rows
