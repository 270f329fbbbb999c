"""Questions as they were observed, with one signal: the log-odds that the gate that ships gives the leading section."""

from __future__ import annotations

import numpy as np

from handrail.calibrate import Asked, Observed
from tests.calibrations import gate_of

SHIPPED = gate_of({"reading": 1.0})
"""Takes the signal for log-odds."""


def observations(
    count: int = 200, *, slope: float = 1.0, shift: float = 0.0, seed: int = 1, author: str = ""
) -> list[Observed]:
    """The leading section is right with log-odds `slope * signal + shift`: 1 and 0 are what `SHIPPED` believes.

    A question whose section is wrong is one that nothing answers, or, each third, one that another article answers.
    """
    rng = np.random.default_rng(seed)
    signals = rng.normal(0.0, 2.0, count)
    rights = rng.random(count) < 1 / (1 + np.exp(-(slope * signals + shift)))
    rows = []
    for number, (signal, right) in enumerate(zip(signals.tolist(), rights.tolist(), strict=True)):
        answerable = right or number % 3 == 0
        gold = (f"{author}:{number}",) if answerable else ()
        asked = Asked(f"{author} question {number}".strip(), gold, answerable, author=author)
        rows.append(Observed(asked, {"reading": signal}, right))
    return rows
