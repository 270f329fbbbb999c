"""Grades as a line with its interval, and whether the line has fallen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np
from numpy.typing import NDArray

from handrail.desk.drift import Graded

RESAMPLES = 10_000
SEED = 0
RECENT_DAYS, EARLIER_DAYS = 7, 28
LEAST = 30
"""Grades on either side below which nothing is said of a fall."""
INTERVAL, ALERT = (2.5, 97.5), (0.5, 99.5)
"""Percentiles. A line that is compared anew every day and never changes would at 95 % be called fallen three times a
year, at 99 % less than once (simulated with 100 grades a day)."""
VALUES = np.arange(1, 6)
ORDER = ("production", "golden"), ("judge", "person")


@dataclass(frozen=True, slots=True)
class Point:
    """The grades of one day or week, by one side."""

    day: str
    """The first, for a week."""
    sample: str
    by: str
    n: int
    mean: float
    low: float | None
    """95 % interval; None for a single grade."""
    high: float | None


@dataclass(frozen=True, slots=True)
class Compared:
    """The last week's grades beside those of the four weeks before, by the same grader."""

    sample: str
    by: str
    who: str
    day: str
    """The last of them."""
    mean: float
    n: int
    earlier: float
    earlier_n: int
    low: float
    """99 % interval of the difference."""
    high: float

    @property
    def difference(self) -> float:
        return self.mean - self.earlier

    @property
    def fallen(self) -> bool:
        return self.high < 0

    @property
    def says(self) -> str:
        what = "answers to visitors" if self.sample == "production" else "answers to the golden set"
        return (
            f"The grades of {what} have fallen. Mean of the {RECENT_DAYS} days to {self.day}: {self.mean:.2f} "
            f"(n {self.n:,}). The {EARLIER_DAYS} days before: {self.earlier:.2f} (n {self.earlier_n:,}). Difference "
            f"{self.difference:+.2f}, 99 % interval {self.low:+.2f} to {self.high:+.2f}. Graded by {self.who}."
        )


def points(graded: Iterable[Graded], *, weekly: bool = False) -> list[Point]:
    """Oldest first; weeks begin on Monday."""
    found: dict[tuple[str, str, str], list[int]] = {}
    for one in graded:
        day = _monday(one.day) if weekly else one.day
        found.setdefault((day, one.sample, one.by), []).append(one.grade)
    return [_point(*key, grades) for key, grades in sorted(found.items())]


def fall(graded: Sequence[Graded], day: date) -> Compared | None:
    """The first line that has fallen by the end of `day`: visitors' answers before others, a judge before people."""
    samples, sides = ORDER
    lines = sorted(
        {(one.sample, one.by, one.who) for one in graded},
        key=lambda line: (samples.index(line[0]), sides.index(line[1]), line[2]),
    )
    found = (compared(graded, *line, day) for line in lines)
    return next((one for one in found if one is not None and one.fallen), None)


def compared(graded: Iterable[Graded], sample: str, by: str, who: str, day: date) -> Compared | None:
    """None where there are too few grades on either side."""
    last, first = day.isoformat(), (day - timedelta(RECENT_DAYS - 1)).isoformat()
    start = (day - timedelta(RECENT_DAYS + EARLIER_DAYS - 1)).isoformat()
    of = [one for one in graded if (one.sample, one.by, one.who) == (sample, by, who) and start <= one.day <= last]
    recent, earlier = ([one.grade for one in of if (one.day >= first) is new] for new in (True, False))
    if min(len(recent), len(earlier)) < LEAST:
        return None
    differences = _means(recent, SEED) - _means(earlier, SEED + 1)
    low, high = np.percentile(differences, ALERT)
    means = float(np.mean(recent)), len(recent), float(np.mean(earlier)), len(earlier)
    return Compared(sample, by, who, last, *means, float(low), float(high))


def lasts(graded: Sequence[Graded], told: Compared, day: date) -> bool:
    """Whether a fall that people were told of goes on: the line has not come back up, and some of its days count."""
    since = date.fromisoformat(told.day)
    days = (day - since).days
    if not 0 <= days < RECENT_DAYS + EARLIER_DAYS:
        return False
    later = (compared(graded, told.sample, told.by, told.who, since + timedelta(n)) for n in range(1, days + 1))
    return all(one is None or one.difference < 0 for one in later)


def _point(day: str, sample: str, by: str, grades: Sequence[int]) -> Point:
    low = high = None
    if len(grades) > 1:
        low, high = (round(float(edge), 3) for edge in np.percentile(_means(grades, SEED), INTERVAL))
    return Point(day, sample, by, len(grades), round(float(np.mean(grades)), 3), low, high)


def _means(grades: Sequence[int], seed: int) -> NDArray[np.float64]:
    """Means of bootstrap samples (Efron and Tibshirani, 1993), drawn as counts of each grade."""
    n = len(grades)
    counts = np.bincount(grades, minlength=VALUES[-1] + 1)[1:]
    drawn = np.random.default_rng(seed).multinomial(n, counts / n, size=RESAMPLES)
    means: NDArray[np.float64] = drawn @ VALUES / n
    return means


def _monday(day: str) -> str:
    found = date.fromisoformat(day)
    return (found - timedelta(found.weekday())).isoformat()
