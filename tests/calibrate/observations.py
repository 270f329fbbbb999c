"""Observations with one telling signal."""

from __future__ import annotations

import numpy as np

from handrail.calibrate import Asked, Observed
from handrail.calibrate.signals import ANSWER
from tests.calibrations import gate_of

CURRENT = gate_of({"rerank_top": 0.2})
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
