"""A threshold with a guarantee: conformal risk control (Angelopoulos, Bates, Fisch, Lei and Schuster 2022).

The loss of a question is 1 when it is answered wrongly and 0 otherwise, which a higher threshold can only lower. For n
exchangeable questions that the gate was not fitted on, the lowest threshold with (n * observed + 1) / (n + 1) <= risk
keeps the expected rate of wrong answers among all questions at or under `risk`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handrail.errors import KnowledgeError

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Bound:
    threshold: float
    risk: float
    """What was asked for."""
    bound: float
    """(n * observed + 1) / (n + 1): what holds for the next question."""
    observed: float
    """Share of the n questions that are answered wrongly at this threshold."""
    refused: float
    """Share of the n questions refused at this threshold."""
    refused_right: float
    """Share of those that would have been answered rightly and are now refused: the price."""
    n: int


def smallest_sample(risk: float) -> int:
    """Fewer questions cannot give this bound even when nothing is answered: 1 / (n + 1) must not exceed the risk."""
    return max(1, math.ceil(1 / risk - 1 - 1e-9))


def control(confidence: Array, wrong: NDArray[np.bool_], risk: float, least: float = 0.0) -> Bound:
    """`confidence` is `(n,)`, 0 for what is refused anyway; `wrong` says which answers are wrong, were they given.

    The threshold is no lower than `least`, which can only lower the risk.
    Raises KnowledgeError when there are too few questions for the risk.
    """
    n, needed = len(confidence), smallest_sample(risk)
    if n < needed:
        raise KnowledgeError(
            f"a risk of {risk:g} needs at least {needed} labelled questions, but there are only {n}: "
            f"add questions or accept a risk of {1 / (n + 1):.3f} or more"
        )
    threshold = max(least, _lowest(confidence, wrong, risk))
    answered = (confidence >= threshold) & (confidence > 0)
    right = ~wrong & (confidence > 0)
    observed = float((answered & wrong).mean())
    return Bound(
        threshold=threshold,
        risk=risk,
        bound=(n * observed + 1) / (n + 1),
        observed=observed,
        refused=float((~answered).mean()),
        refused_right=float((right & ~answered).sum() / right.sum()) if right.any() else 0.0,
        n=n,
    )


def _lowest(confidence: Array, wrong: NDArray[np.bool_], risk: float) -> float:
    """The lowest threshold that keeps few enough wrong answers; just above the first one too many."""
    allowed = math.floor(risk * (len(confidence) + 1) - 1 + 1e-9)
    losing = np.sort(confidence[wrong & (confidence > 0)])[::-1]
    return float(np.nextafter(losing[allowed], 2.0)) if len(losing) > allowed else 0.0
