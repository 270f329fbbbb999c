"""When the desk is open, on ordinary days, on holidays, over midnight and while clocks change."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.desk.handoff.hours import Hours, hours_settings, load_hours
from handrail.errors import SettingsError
from handrail.settings import Hours as HoursSettings

BERLIN = ZoneInfo("Europe/Berlin")
OFFICE = {
    "timezone": "Europe/Berlin",
    "weekly": {
        **{day: ["09:00-12:00", "13:00-17:00"] for day in ("mon", "tue", "wed", "thu")},
        "fri": ["09:00-15:00"],
        "sat": ["22:00-02:00"],
    },
    "holidays": [
        {"date": "2026-12-25", "name": "Christmas"},
        {"date": "2026-12-24", "name": "Christmas Eve", "hours": ["09:00-11:00"]},
    ],
}


def hours(**values: Any) -> Hours:
    return load_hours(HoursSettings.model_validate(values or OFFICE))


def at(text: str, zone: ZoneInfo = BERLIN, fold: int = 0) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=zone, fold=fold).timestamp()


@pytest.mark.parametrize(
    ("moment", "is_open"),
    [
        ("2026-11-23T08:59:59", False),
        ("2026-11-23T09:00", True),
        ("2026-11-23T11:59:59", True),
        ("2026-11-23T12:00", False),
        ("2026-11-23T13:00", True),
        ("2026-11-27T15:00", False),
        ("2026-11-28T21:59", False),
        ("2026-11-28T23:59", True),
        ("2026-11-29T00:00", True),
        ("2026-11-29T01:59", True),
        ("2026-11-29T02:00", False),
        ("2026-12-24T10:00", True),
        ("2026-12-24T11:00", False),
        ("2026-12-24T14:00", False),
        ("2026-12-25T10:00", False),
    ],
)
def test_open_by_weekday_range_and_holiday(moment: str, is_open: bool) -> None:
    assert hours().open_at(at(moment)) is is_open


@pytest.mark.parametrize(
    ("moment", "opens"),
    [
        ("2026-11-23T12:30", "2026-11-23T13:00"),
        ("2026-11-23T18:00", "2026-11-24T09:00"),
        ("2026-11-29T02:00", "2026-11-30T09:00"),
        ("2026-12-24T11:00", "2026-12-26T22:00"),
    ],
)
def test_the_next_opening_skips_pauses_and_holidays(moment: str, opens: str) -> None:
    assert hours().next_opening(at(moment)) == datetime.fromisoformat(opens).replace(tzinfo=BERLIN)


def test_an_open_desk_opens_at_no_other_time() -> None:
    assert hours().next_opening(at("2026-11-23T10:00")) is None


def test_without_ranges_the_desk_is_always_open_but_on_holidays() -> None:
    always = hours(timezone="Europe/Berlin", holidays=[{"date": "2026-12-25"}])

    assert always.open_at(at("2026-11-29T03:00"))
    assert not always.open_at(at("2026-12-25T00:00"))
    assert always.next_opening(at("2026-12-25T12:00")) == datetime(2026, 12, 26, tzinfo=BERLIN)


def test_the_same_wall_clock_time_counts_in_summer_and_in_winter() -> None:
    for moment in ("2026-03-27T09:00", "2026-03-30T09:00", "2026-10-23T09:00", "2026-10-26T09:00"):
        assert hours().open_at(at(moment))
        assert not hours().open_at(at(moment) - 1)


def test_clocks_going_forward_shorten_a_night_and_going_back_lengthen_it() -> None:
    night = hours(timezone="Europe/Berlin", weekly={"sat": ["22:00-04:00"]})

    def length(day: str) -> int:
        start = int(at(f"{day}T21:00"))
        return sum(night.open_at(moment) for moment in range(start, start + 12 * 3600, 600)) // 6

    assert (length("2026-03-28"), length("2026-06-27"), length("2026-10-24")) == (5, 6, 7)


def test_the_repeated_hour_belongs_to_a_range_that_ends_in_it() -> None:
    night = hours(timezone="Europe/Berlin", weekly={"sun": ["01:00-02:30"]})

    assert night.open_at(at("2026-10-25T02:15"))
    assert night.open_at(at("2026-10-25T02:15", fold=1))
    assert not night.open_at(at("2026-10-25T02:30", fold=1))


@given(st.integers(1_700_000_000, 1_900_000_000))
def test_the_next_opening_is_open_and_the_minute_before_is_not(moment: int) -> None:
    office = hours()
    opens = office.next_opening(moment)

    if opens is None:
        assert office.open_at(moment)
    else:
        assert opens.timestamp() > moment
        assert office.open_at(opens.timestamp())
        assert not office.open_at(opens.timestamp() - 1)


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ({"timezone": "Mars/Olympus"}, "timezone: 'Mars/Olympus' is no IANA time zone"),
        ({"timezone": "../etc/passwd"}, "is no IANA time zone"),
        ({"weekly": {"mon": ["9-17"]}}, "weekly.mon: '9-17' is not a range"),
        ({"weekly": {"mon": ["09:00-25:00"]}}, "is not a range"),
        ({"weekly": {"mon": ["09:00-24:30"]}}, "is not a range"),
        ({"weekly": {"mon": ["24:00-09:00"]}}, "is not a range"),
        ({"weekly": {"mon": ["09:00-09:00"]}}, "has no length"),
        ({"weekly": {"mon": ["09:00-12:00", "11:00-13:00"]}}, "09:00-12:00 and 11:00-13:00 overlap"),
        ({"weekly": {"mon": ["22:00-03:00"], "tue": ["02:00-08:00"]}}, "weekly.mon: 22:00-03:00 overlaps"),
        ({"weekly": {"sun": ["22:00-03:00"], "mon": ["02:00-08:00"]}}, "weekly.sun: 22:00-03:00 overlaps"),
        ({"weekly": {"mon": []}}, "no day has a range"),
        ({"holidays": [{"date": "2026-12-25"}, {"date": "2026-12-25"}]}, "2026-12-25 is there twice"),
        ({"holidays": [{"date": "2026-12-25", "hours": ["x"]}]}, "holidays, 2026-12-25: 'x' is not a range"),
    ],
)
def test_wrong_hours_are_refused_by_name(values: dict[str, Any], complaint: str) -> None:
    with pytest.raises(SettingsError) as caught:
        hours(**values)

    assert complaint in str(caught.value)


def test_a_file_holds_hours_and_those_of_tenants_that_differ(tmp_path: Path) -> None:
    path = tmp_path / "hours.toml"
    path.write_text(
        'timezone = "Europe/Berlin"\n[weekly]\nmon = ["09:00-17:00"]\n'
        '[[holidays]]\ndate = 2026-11-23\n[tenants.tokyo]\ntimezone = "Asia/Tokyo"\nholidays = []\n',
        encoding="utf-8",
    )
    settings = HoursSettings(file=path)

    assert not load_hours(settings).open_at(at("2026-11-23T10:00"))
    assert load_hours(settings).open_at(at("2026-11-30T10:00"))
    assert load_hours(settings, "tokyo").open_at(at("2026-11-23T10:00", ZoneInfo("Asia/Tokyo")))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("timezone = ", "not readable TOML"),
        ("open = 1", "open: Extra inputs"),
        ("wait_days = 7", "wait_days: no longer a setting: it is always 28"),
        ('[weekly]\nmonday = ["09:00-17:00"]', "weekly.monday"),
        ('[[holidays]]\ndate = "Christmas"', "holidays.0.date"),
        ("tenants = 3", "tenants must hold tables"),
    ],
)
def test_a_wrong_file_is_refused_with_its_name(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "hours.toml"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(SettingsError) as caught:
        load_hours(HoursSettings(file=path))

    assert "hours.toml" in str(caught.value)
    assert complaint in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="there is no file"):
        load_hours(HoursSettings(file=tmp_path / "gone.toml"))


def test_each_tenant_has_its_own_words_for_when_nobody_is_there(tmp_path: Path) -> None:
    path = tmp_path / "hours.toml"
    path.write_text('away_text = "We are out."\n[tenants.tokyo]\naway_text = "Back tomorrow."\n', encoding="utf-8")
    settings = HoursSettings(file=path)

    assert [hours_settings(settings, tenant).away_text for tenant in ("default", "tokyo")] == [
        "We are out.",
        "Back tomorrow.",
    ]
