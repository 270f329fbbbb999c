"""When the desk is open: weekly ranges and holidays in the operator's time zone.

Ranges are wall-clock times. Each belongs to the day it starts on, also when it ends on the next one, so a holiday takes
away what starts on it. Where clocks go back, a range covers the repeated hour; where they go forward, it is shorter.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import ValidationError

from handrail.errors import SettingsError
from handrail.settings import Hours as HoursSettings
from handrail.settings.load import REMOVED

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
DAY = 24 * 60
RANGE = re.compile(r"^([01]?\d|2[0-4]):([0-5]\d)\s*[-–]\s*([01]?\d|2[0-4]):([0-5]\d)$")
LOOK_AHEAD_DAYS = 366


@dataclass(frozen=True, slots=True)
class Span:
    """Minutes since midnight; an end past 24 hours is on the next day."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Hours:
    """Without weekly ranges the desk is always open, but on holidays."""

    zone: ZoneInfo
    weekly: Mapping[int, tuple[Span, ...]] = field(default_factory=dict)
    """By weekday, Monday is 0."""
    holidays: Mapping[date, tuple[Span, ...]] = field(default_factory=dict)

    def open_at(self, now: float) -> bool:
        """`now` in seconds since the epoch."""
        today = self._local(now).date()
        return any(start <= now < end for start, end in self._openings(today - timedelta(days=1), days=2))

    def next_opening(self, now: float) -> datetime | None:
        """When the desk opens again, in its own time zone; None when it is open, or closed for a year."""
        if self.open_at(now):
            return None
        today = self._local(now).date()
        for start, _ in self._openings(today, days=LOOK_AHEAD_DAYS):
            if start > now:
                return self._local(start)
        return None

    def week(self) -> list[str]:
        """The ranges of each weekday in words, Monday first; nothing where it is always open."""
        if not self.weekly:
            return []
        return [", ".join(_text(span) for span in self.weekly.get(day, ())) for day in range(7)]

    def coming_holidays(self, now: float, days: int = 31) -> list[tuple[date, str]]:
        """Holidays within so many days, and the ranges that are left of them."""
        today = self._local(now).date()
        last = today + timedelta(days=days)
        found = sorted((day, spans) for day, spans in self.holidays.items() if today <= day <= last)
        return [(day, ", ".join(_text(span) for span in spans)) for day, spans in found]

    def hour_of(self, moment: float) -> int:
        return self._local(moment).hour

    def _local(self, moment: float) -> datetime:
        return datetime.fromtimestamp(moment, self.zone)

    def _openings(self, first: date, days: int) -> Iterator[tuple[float, float]]:
        """From and until, in seconds since the epoch, in order."""
        for offset in range(days):
            day = first + timedelta(days=offset)
            for span in self._spans(day):
                yield self._moment(day, span.start, fold=0), self._moment(day, span.end, fold=1)

    def _spans(self, day: date) -> tuple[Span, ...]:
        if day in self.holidays:
            return self.holidays[day]
        return self.weekly.get(day.weekday(), ()) if self.weekly else (Span(0, DAY),)

    def _moment(self, day: date, minutes: int, fold: int) -> float:
        days, rest = divmod(minutes, DAY)
        wall = datetime.combine(day + timedelta(days=days), time(rest // 60, rest % 60, fold=fold), self.zone)
        return wall.astimezone(UTC).timestamp()


def load_hours(settings: HoursSettings, tenant: str = "default") -> Hours:
    """The hours of `tenant`: its own table of the file, the file, or the settings.

    Raises SettingsError with one line per wrong value.
    """
    return _build(*_own(settings, tenant))


def hours_settings(settings: HoursSettings, tenant: str = "default") -> HoursSettings:
    """All keys as they are for `tenant`, the words for when nobody is there among them. Raises SettingsError."""
    return _own(settings, tenant)[0]


def _own(settings: HoursSettings, tenant: str) -> tuple[HoursSettings, str]:
    """The settings of a tenant, and where they stand."""
    if settings.file is None:
        return settings, "hours"
    tree = _read(settings.file)
    tenants = tree.pop("tenants", {})
    if not isinstance(tenants, dict):
        raise SettingsError(f"{settings.file}: tenants must hold tables, such as [tenants.acme]")
    own = tenants.get(tenant, {})
    where = f"{settings.file}, tenant {tenant}" if own else str(settings.file)
    if not isinstance(own, dict):
        raise SettingsError(f"{settings.file}: tenants.{tenant} must be a table")
    try:
        return HoursSettings.model_validate({**tree, **own}), where
    except ValidationError as error:
        raise SettingsError(_explain(where, error)) from None


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise SettingsError(f"hours.file: there is no file {path}") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"hours.file: {path} is not readable TOML: {error}") from error


def _build(settings: HoursSettings, where: str) -> Hours:
    wrong: list[str] = []
    zone = _zone(settings.timezone, wrong)
    weekly = {DAYS.index(day): _spans(ranges, f"weekly.{day}", wrong) for day, ranges in settings.weekly.items()}
    holidays: dict[date, tuple[Span, ...]] = {}
    for holiday in settings.holidays:
        if holiday.date in holidays:
            wrong.append(f"holidays: {holiday.date} is there twice")
        holidays[holiday.date] = _spans(holiday.hours, f"holidays, {holiday.date}", wrong)
    _overnight(weekly, wrong)
    if weekly and not any(weekly.values()):
        wrong.append("weekly: no day has a range; set brand.person_available = false when nobody is ever there")
    if wrong:
        raise SettingsError(f"{where} holds {len(wrong)} wrong value(s):\n  " + "\n  ".join(wrong))
    return Hours(zone, weekly, holidays)


def _zone(name: str, wrong: list[str]) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        wrong.append(f"timezone: {name!r} is no IANA time zone; write one such as Europe/Berlin or America/New_York")
        return ZoneInfo("UTC")


def _spans(ranges: Sequence[str], where: str, wrong: list[str]) -> tuple[Span, ...]:
    spans = []
    for text in ranges:
        match = RANGE.match(text.strip())
        minutes = [60 * int(match[i]) + int(match[i + 1]) for i in (1, 3)] if match else [DAY + 1, DAY + 1]
        if max(minutes) > DAY or minutes[0] == DAY:
            wrong.append(f'{where}: {text!r} is not a range; write "09:00-17:00" (24:00 is the end of the day)')
            continue
        start, end = minutes
        if start == end:
            wrong.append(f'{where}: {text!r} has no length; a whole day is "00:00-24:00"')
            continue
        spans.append(Span(start, end if end > start else end + DAY))
    spans.sort(key=lambda span: span.start)
    wrong.extend(f"{where}: {_text(a)} and {_text(b)} overlap" for a, b in pairwise(spans) if b.start < a.end)
    return tuple(spans)


def _overnight(weekly: Mapping[int, tuple[Span, ...]], wrong: list[str]) -> None:
    """What reaches into the next day must end before that day's first range starts."""
    for day, spans in weekly.items():
        following = weekly.get((day + 1) % 7, ())
        if spans and following and spans[-1].end - DAY > following[0].start:
            wrong.append(
                f"weekly.{DAYS[day]}: {_text(spans[-1])} overlaps {_text(following[0])} of {DAYS[(day + 1) % 7]}"
            )


def _text(span: Span) -> str:
    end = span.end if span.end <= DAY else span.end - DAY
    return f"{span.start // 60:02}:{span.start % 60:02}-{end // 60:02}:{end % 60:02}"


def _explain(where: str, error: ValidationError) -> str:
    lines = []
    for item in error.errors():
        gone = REMOVED.get(("hours", str(item["loc"][0]))) if item["loc"] else None
        what = f"no longer a setting: {gone}" if gone else item["msg"]
        lines.append(f"{'.'.join(str(part) for part in item['loc'])}: {what}")
    return f"{where} holds {len(lines)} wrong value(s):\n  " + "\n  ".join(lines)
