"""The month's cost is forecast from the last whole days, with a range, and held against what the settings allow."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from statistics import stdev
from zoneinfo import ZoneInfo

import pytest

from handrail.desk.reports.forecast import Forecast, budget_of, forecast, month_of
from handrail.settings import Settings

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 20, 12, tzinfo=BERLIN).timestamp()
TODAY = date(2026, 11, 20)
LONG_AGO = date(2026, 1, 1)


def days(*usd: float) -> dict[date, float]:
    """What was spent before today, the latest first."""
    return {TODAY - timedelta(days=n): each for n, each in enumerate(usd, start=1)}


def test_the_rest_of_the_month_goes_on_as_the_last_seven_whole_days_did() -> None:
    spent = {**days(1, 2, 3, 4, 5, 6, 7, 90), TODAY: 0.25, date(2026, 10, 31): 500.0}

    found = forecast(spent, LONG_AGO, NOW, BERLIN)

    assert found.so_far == 1 + 2 + 3 + 4 + 5 + 6 + 7 + 90 + 0.25
    assert found.expected == pytest.approx(found.so_far + 4 * 10.5)
    margin = 2.447 * stdev([1, 2, 3, 4, 5, 6, 7]) * (10.5 + 10.5**2 / 7) ** 0.5
    assert found.low is not None and found.high is not None and found.expected is not None
    assert found.high == pytest.approx(found.expected + margin)
    assert found.low == pytest.approx(found.expected - margin)


def test_what_is_spent_is_the_least_that_the_month_costs() -> None:
    found = forecast(days(0, 0, 0, 0, 0, 0, 50), LONG_AGO, NOW, BERLIN)

    assert found.low == found.so_far == 50.0


def test_days_without_a_message_cost_nothing_but_count() -> None:
    found = forecast(days(7), LONG_AGO, NOW, BERLIN)

    assert (found.days, found.expected) == (7, 7 + 1 * 10.5)


@pytest.mark.parametrize(("first", "whole"), [(None, 0), (TODAY, 0), (date(2026, 11, 17), 2), (date(2026, 11, 16), 3)])
def test_before_three_whole_days_nothing_is_forecast(first: date | None, whole: int) -> None:
    found = forecast(days(1, 1, 1, 1, 1), first, NOW, BERLIN)

    assert found.days == whole
    assert (found.expected is None) == (whole < 3)


def test_on_the_last_evening_nothing_is_left_to_guess() -> None:
    end = month_of(NOW, BERLIN).end

    found = forecast({date(2026, 11, 30): 3.0}, LONG_AGO, end - 1, BERLIN)

    assert found.expected == pytest.approx(3.0)
    assert month_of(end, BERLIN).first == date(2026, 12, 1)


def test_no_turns_at_all_cost_nothing() -> None:
    assert forecast({}, None, NOW, BERLIN) == Forecast(0.0)


def test_a_budget_is_of_the_day_or_of_its_turns_whichever_is_less() -> None:
    def most(**sections: Mapping[str, object]) -> float | None:
        budget = budget_of(Settings.model_validate({"server": {"demo_mode": False}, **sections}))
        return budget.usd_per_day if budget else None

    money, questions = {"turn_max_usd": 0.02}, {"global_per_day": 500}
    assert most(llm=money, limits=questions) == 10.0
    assert most(llm=money) is most(limits=questions) is None
    assert most(llm=money, limits={**questions, "enabled": False}) is None
    assert most(llm=money, server={"demo_mode": True}) == 100 * 0.02
    assert most(limits={"global_usd_per_day": 7.0}) == 7.0
    assert most(limits={"global_usd_per_day": 7.0, "enabled": False}) is None
    assert most(llm=money, limits={**questions, "global_usd_per_day": 7.0}) == 7.0
    assert most(llm=money, limits={**questions, "global_usd_per_day": 70.0}) == 10.0
