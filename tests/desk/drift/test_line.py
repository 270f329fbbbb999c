"""Grades as a line, and falls that its intervals show."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

import numpy as np
import pytest

from handrail.desk.drift import Graded
from handrail.desk.drift.line import LEAST, compared, fall, lasts, points

TODAY = date(2026, 11, 27)
GOOD, BAD = (0.02, 0.04, 0.14, 0.4, 0.4), (0.1, 0.2, 0.3, 0.3, 0.1)


def days(
    first: int, last: int, shares: Sequence[float], each: int = 20, seed: int = 0, who: str = "wise"
) -> list[Graded]:
    """Grades by the judge from `first` to `last` days ago, both included."""
    random = np.random.default_rng(seed)
    return [
        Graded("production", (TODAY - timedelta(ago)).isoformat(), "judge", who, int(grade))
        for ago in range(first, last - 1, -1)
        for grade in random.choice([1, 2, 3, 4, 5], size=each, p=shares)
    ]


def test_a_day_is_a_mean_with_an_interval_that_narrows_with_more_grades() -> None:
    few, many = (points([Graded("production", "2026-11-27", "judge", "wise", 1 + n % 5) for n in range(size)])[0]
                 for size in (10, 400))  # fmt: skip

    assert (few.mean, few.n, many.mean) == (3.0, 10, 3.0)
    assert few.low is not None and few.high is not None and many.low is not None and many.high is not None
    assert few.low < many.low < 3 < many.high < few.high
    assert many.high - many.low == pytest.approx(2 * 1.96 * (2 / 400) ** 0.5, rel=0.1)


def test_one_grade_has_no_interval_and_graders_are_drawn_apart() -> None:
    both = [Graded("production", "2026-11-27", by, "", grade) for by, grade in (("judge", 5), ("person", 2))]

    assert [(one.by, one.mean, one.low) for one in points(both)] == [("judge", 5, None), ("person", 2, None)]


def test_weeks_begin_on_monday() -> None:
    graded = [Graded("golden", day, "judge", "wise", 4) for day in ("2026-11-22", "2026-11-23", "2026-11-27")]

    assert [(one.day, one.n) for one in points(graded, weekly=True)] == [("2026-11-16", 1), ("2026-11-23", 2)]


def test_a_fall_is_found_with_its_numbers() -> None:
    found = fall(days(34, 7, GOOD) + days(6, 0, BAD, seed=1), TODAY)

    assert found is not None
    assert (found.n, found.earlier_n, found.day) == (140, 560, "2026-11-27")
    assert found.low < found.difference < found.high < 0
    assert "n 140" in found.says and "wise" in found.says


def test_chance_is_hardly_ever_taken_for_a_fall() -> None:
    found = [fall(days(34, 7, GOOD, seed=seed) + days(6, 0, GOOD, seed=1000 + seed), TODAY) for seed in range(100)]

    assert sum(one is not None for one in found) <= 3


def test_too_few_grades_say_nothing() -> None:
    each = (LEAST - 1) // 7
    assert fall(days(34, 7, GOOD) + days(6, 0, BAD, each=each), TODAY) is None


def test_a_stricter_judge_is_no_fall() -> None:
    assert fall(days(34, 7, GOOD) + days(6, 0, BAD, who="stricter"), TODAY) is None


def test_a_fall_lasts_until_the_line_comes_back_up() -> None:
    graded = days(60, 20, GOOD) + days(19, 10, BAD, seed=1)
    told = compared(graded, "production", "judge", "wise", TODAY - timedelta(13))
    assert told is not None and told.fallen

    assert lasts(graded + days(9, 0, BAD, seed=2), told, TODAY)
    assert not lasts(graded + days(9, 0, GOOD, seed=2), told, TODAY + timedelta(1))
    assert not lasts(graded, told, TODAY + timedelta(40))
