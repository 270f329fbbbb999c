"""How long visitors waited for a first answer lately, which is what they are told to expect."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, inf, isfinite

HOURS_BESIDE = 1
"""Hours of the day on either side that count as the same time of day."""


@dataclass(frozen=True, slots=True)
class Waited:
    """One hand-off: the local hour it began in, and seconds to the first answer; None while or if nobody answered."""

    hour: int
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Wait:
    """Seconds within which half, and four of five, of `n` recent visitors were answered."""

    median_s: float
    most_s: float | None
    """None where fewer than four of five were answered at all."""
    n: int


def expected(waits: Sequence[Waited], hour: int, least: int) -> Wait | None:
    """From hand-offs around this hour of the day; None when there are fewer than `least`, or half went unanswered.

    Those that nobody answered count as endless: leaving them out would flatter.
    """
    near = sorted(inf if wait.seconds is None else wait.seconds for wait in waits if _beside(wait.hour, hour))
    if len(near) < least:
        return None
    median, most = _quantile(near, 0.5), _quantile(near, 0.8)
    if not isfinite(median):
        return None
    return Wait(median, most if isfinite(most) else None, len(near))


def _beside(one: int, other: int) -> bool:
    apart = abs(one - other) % 24
    return min(apart, 24 - apart) <= HOURS_BESIDE


def _quantile(ordered: Sequence[float], share: float) -> float:
    """The smallest value that `share` of them do not exceed."""
    return ordered[max(0, ceil(share * len(ordered)) - 1)]
