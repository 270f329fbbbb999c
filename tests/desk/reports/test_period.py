"""Ranges of days."""

from __future__ import annotations

from datetime import date, datetime
from zoneinfo import ZoneInfo

import pytest

from handrail.desk.reports.build import quantile
from handrail.desk.reports.period import PeriodError, period

UTC = ZoneInfo("UTC")
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC).timestamp()


def test_the_last_thirty_days_unless_told_otherwise() -> None:
    found = period(None, None, "UTC", NOW)

    assert (found.first, found.last, len(found.days)) == (date(2026, 10, 22), date(2026, 11, 20), 30)


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "Asia/Kathmandu", "America/St_Johns", "Pacific/Apia"])
def test_a_range_is_made_of_local_midnights(zone: str) -> None:
    found = period("2026-10-20", "2026-10-30", zone, NOW)

    assert datetime.fromtimestamp(found.start, ZoneInfo(zone)).isoformat()[:19] == "2026-10-20T00:00:00"
    assert datetime.fromtimestamp(found.end, ZoneInfo(zone)).isoformat()[:19] == "2026-10-31T00:00:00"


def test_offsets_change_with_the_clocks() -> None:
    berlin = period("2026-03-20", "2026-11-20", "Europe/Berlin", NOW)

    changes = [(datetime.fromtimestamp(at, UTC).isoformat()[:16], by) for at, by in berlin.offsets()[1:]]

    assert changes == [("2026-03-29T01:00", 7200), ("2026-10-25T01:00", 3600)]


@pytest.mark.parametrize(
    ("first", "last", "says"),
    [
        ("2026-11-10", "2026-11-09", "after"),
        ("2026-12-01", "2026-12-02", "future"),
        ("2025-01-01", "2026-11-01", "longer than 366"),
        ("yesterday", None, "Write it as"),
        ("2026-02-30", None, "Write it as"),
        ("20261101", None, "Write it as"),
        ("2026-11-01' OR 1=1 --", None, "Write it as"),
        ("1000-01-01", "1000-01-02", "out of range"),
    ],
)
def test_what_is_no_range_is_refused_with_advice(first: str, last: str | None, says: str) -> None:
    with pytest.raises(PeriodError, match=says):
        period(first, last, "UTC", NOW)


@pytest.mark.parametrize("zone", ["Mars/Olympus", "../etc/passwd", ""])
def test_a_zone_that_is_none_is_refused(zone: str) -> None:
    with pytest.raises(PeriodError, match="time zone"):
        period(None, None, zone, NOW)


def test_quantiles_are_interpolated() -> None:
    assert (quantile([1.0], 0.9), quantile([1.0, 2.0], 0.5), quantile([0.0, 10.0], 0.9)) == (1.0, 1.5, 9.0)
