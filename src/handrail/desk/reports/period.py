"""A range of whole days in the tenant's time zone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from handrail.errors import PermanentError

DEFAULT_DAYS = 30
MOST_DAYS = 366
DAY_S = 86_400
EARLIEST = date(2000, 1, 1)
LATEST = date(2200, 1, 1)
QUARTER = timedelta(minutes=15)


class PeriodError(PermanentError):
    """A range of dates that cannot be reported on; the message says what to write instead."""


@dataclass(frozen=True, slots=True)
class Period:
    """Both days are included."""

    first: date
    last: date
    zone: ZoneInfo

    @property
    def start(self) -> float:
        """First second, since the epoch."""
        return _midnight(self.first, self.zone)

    @property
    def end(self) -> float:
        """The second after the last one."""
        return _midnight(self.last + timedelta(days=1), self.zone)

    @property
    def days(self) -> list[date]:
        return [self.first + timedelta(days=n) for n in range((self.last - self.first).days + 1)]

    def local(self, moment: float) -> str:
        """A second since the epoch as its local day and time, to the minute."""
        return datetime.fromtimestamp(moment, self.zone).strftime("%Y-%m-%d %H:%M")

    def offsets(self) -> Sequence[tuple[float, int]]:
        """`(from this second on, seconds east of UTC)`, the first from `start`: more than one where clocks change."""
        found = [(self.start, _offset(self.start, self.zone))]
        for day in self.days:
            midnight = _midnight(day + timedelta(days=1), self.zone)
            after = _offset(midnight, self.zone)
            if after != found[-1][1]:
                found.append((self._change(_midnight(day, self.zone), midnight, after), after))
        return found

    def _change(self, low: float, high: float, after: int) -> float:
        """The second in `(low, high]` from which the offset is `after`; clocks change on a quarter of an hour."""
        step = QUARTER.total_seconds()
        moment = low
        while moment < high and _offset(moment, self.zone) != after:
            moment += step
        return moment


def period(first: str | None, last: str | None, zone: str, now: float) -> Period:
    """From dates such as 2026-11-01; without any, the last 30 days. Raises PeriodError."""
    place = time_zone(zone)
    today = datetime.fromtimestamp(now, place).date()
    until = read_day("to", last) if last else today
    since = read_day("from", first) if first else min(until, today) - timedelta(days=DEFAULT_DAYS - 1)
    if since > until:
        raise PeriodError(f"from = {since} is after to = {until}")
    if since > today:
        raise PeriodError(f"from = {since} is in the future. Today is {today} in {zone}")
    if (until - since).days >= MOST_DAYS:
        raise PeriodError(f"{since} to {until} is longer than {MOST_DAYS} days. Choose a shorter range")
    return Period(since, until, place)


def time_zone(name: str) -> ZoneInfo:
    """Raises PeriodError for a name that is no time zone."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise PeriodError(f"{name!r} isn't a time zone. Use a name such as Europe/Berlin or UTC") from None


def day_of(number: int) -> date:
    """The date of a number of days since the epoch."""
    return date(1970, 1, 1) + timedelta(days=number)


def read_day(name: str, text: str) -> date:
    """A date such as 2026-11-01, given as `name`. Raises PeriodError."""
    try:
        if len(text) != len("2026-11-01"):
            raise ValueError
        found = date.fromisoformat(text)
    except ValueError:
        raise PeriodError(f"{name} = {text[:40]!r} isn't a date. Write it as 2026-11-01") from None
    if not EARLIEST <= found < LATEST:
        raise PeriodError(f"{name} = {found} is out of range. Use a year between 2000 and 2199")
    return found


def _midnight(day: date, zone: ZoneInfo) -> float:
    return datetime.combine(day, time(), zone).timestamp()


def _offset(moment: float, zone: ZoneInfo) -> int:
    offset = datetime.fromtimestamp(moment, UTC).astimezone(zone).utcoffset()
    return int(offset.total_seconds()) if offset is not None else 0
