"""What language models will have cost by the end of the month, and the most that the settings allow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from statistics import fmean, stdev
from zoneinfo import ZoneInfo

from handrail.accounts.limits.rules import question_rules
from handrail.desk.reports.period import DAY_S, Period
from handrail.settings import Settings

DAYS = 7
"""Whole days that the forecast rests on, so that each day of the week counts once."""
LEAST_DAYS = 3
STUDENT_95 = {3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447}
"""Two-sided 95 % quantiles of Student's t, by the number of days."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What bounds the cost of a day."""

    usd_per_day: float
    told: str
    """What sets it, for the report."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """US dollars of the current month; `low` and `high` are a 95 % prediction interval."""

    so_far: float
    expected: float | None = None
    low: float | None = None
    high: float | None = None
    days: int = 0
    """Whole days it rests on; with too few of them nothing is forecast."""


def budget_of(settings: Settings) -> Budget | None:
    """The least that the settings allow at most; None where a day's cost has no bound."""
    questions = [rule.limit for rule in question_rules(settings) if rule.scope == "global_day"]
    usd, of_day = settings.llm.turn_max_usd, settings.limits.global_usd_per_day
    found = []
    if questions and usd:
        found.append(Budget(questions[0] * usd, f"{questions[0]} questions a day of at most ${usd:g} each"))
    if of_day and settings.limits.enabled:
        found.append(Budget(of_day, f"${of_day:g} a day"))
    return min(found, key=lambda budget: budget.usd_per_day, default=None)


def month_of(now: float, zone: ZoneInfo) -> Period:
    first = datetime.fromtimestamp(now, zone).date().replace(day=1)
    last = (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)
    return Period(first, last, zone)


def forecast(spent: Mapping[date, float], first: date | None, now: float, zone: ZoneInfo) -> Forecast:
    """What was `spent` on each day, none on the others, and the mean of the last whole days for the rest of the month.

    `first` is the day of the first turn ever. The interval takes days for independent and normal.
    """
    today, month = datetime.fromtimestamp(now, zone).date(), month_of(now, zone)
    so_far = sum(usd for day, usd in spent.items() if month.first <= day <= today)
    before = [today - timedelta(days=n) for n in range(1, DAYS + 1)]
    known = [spent.get(day, 0.0) for day in before if first is not None and day > first]
    if len(known) < LEAST_DAYS:
        return Forecast(so_far, days=len(known))
    left = (month.end - now) / DAY_S
    expected = so_far + fmean(known) * left
    margin = STUDENT_95[len(known)] * _spread(known, left)
    return Forecast(so_far, expected, max(so_far, expected - margin), expected + margin, len(known))


def _spread(known: Sequence[float], left: float) -> float:
    """Standard deviation of what `left` further days come to, and of the mean that was measured."""
    return float(stdev(known) * (left + left**2 / len(known)) ** 0.5)
