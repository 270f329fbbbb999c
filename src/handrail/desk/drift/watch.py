"""Tells people that answers got worse, once a fall."""

from __future__ import annotations

import logging
from dataclasses import asdict
from datetime import date, timedelta
from zoneinfo import ZoneInfo

from handrail.desk.drift import Graded
from handrail.desk.drift.line import EARLIER_DAYS, RECENT_DAYS, Compared, fall, lasts
from handrail.desk.outbox.alerts import announcements_of
from handrail.desk.reports.period import Period
from handrail.records.gradings import GradingRecords
from handrail.records.reports import ReportRecords
from handrail.settings import Alerts

log = logging.getLogger("handrail.drift")


async def grades_until(reports: ReportRecords, day: date, zone: ZoneInfo, windows: int = 1) -> list[Graded]:
    """All that a comparison at the end of `day` reads; with two `windows`, also those on the days before it."""
    days = windows * (RECENT_DAYS + EARLIER_DAYS)
    return list(await reports.grades(Period(day - timedelta(days - 1), day, zone)))


async def tell_of_fall(
    gradings: GradingRecords, reports: ReportRecords, day: date, zone: ZoneInfo, alerts: Alerts, now: float
) -> Compared | None:
    """A fall by the end of `day` that nobody was told of yet; it is now, by the alert channels and in the log."""
    graded = await grades_until(reports, day, zone, windows=2)
    found = fall(graded, day)
    if found is None:
        return None
    told = await gradings.told()
    if told is not None and told.detail and lasts(graded, Compared(**told.detail), day):
        return None
    detail = asdict(found)
    announced = announcements_of("answers.fell", "Answers have got worse", found.says, detail, "grades", alerts)
    if not await gradings.tell(found.day, detail, announced, now):
        return None
    log.warning("%s", found.says)
    return found
