"""What the application does beside answering: forgetting what has been kept long enough, and grading yesterday."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from handrail.desk.drift.daily import Grading, last_whole_day, sample_of
from handrail.desk.drift.watch import tell_of_fall
from handrail.desk.reports.period import time_zone
from handrail.errors import HandrailError
from handrail.llm.judge import connected
from handrail.records import RecordsUnavailable
from handrail.records.gradings import JUDGE, GradingRecords
from handrail.records.reports import ReportRecords
from handrail.settings import Settings

log = logging.getLogger("handrail.housekeeping")

EVERY_S = 600.0
LOOK_S = 3600.0


async def purge(forget: Callable[[], Awaitable[int]], what: str, every_s: float = EVERY_S) -> None:
    """Delete what is old now and then, for as long as the application runs; `forget` returns how many there were."""
    while True:
        try:
            gone = await forget()
        except RecordsUnavailable as error:
            log.warning("%s; old %s will be deleted later", error, what)
        else:
            if gone:
                log.info("%d old %s deleted", gone, what)
        await asyncio.sleep(every_s)


async def watch_grades(
    settings: Settings,
    gradings: GradingRecords,
    reports: ReportRecords,
    clock: Callable[[], float],
    every_s: float = LOOK_S,
) -> None:
    """Have yesterday's sample graded and say when grades fall, for as long as the application runs."""
    while True:
        try:
            await _grade(settings, gradings, reports, clock)
        except HandrailError as error:
            log.warning("%s; answers will be graded later", error)
        await asyncio.sleep(every_s)


async def _grade(
    settings: Settings, gradings: GradingRecords, reports: ReportRecords, clock: Callable[[], float]
) -> None:
    zone = time_zone(settings.hours.timezone)
    day = last_whole_day(zone, clock())
    sample = await sample_of(gradings, day, zone, settings.drift.daily)
    judge = None if all(JUDGE in one.grades for one in sample) else connected(settings, settings.drift.judge)
    if judge is not None:
        try:
            done = await Grading(gradings, judge, settings.knowledge.kb, clock).grade(day, sample)
        finally:
            await judge.aclose()
        if done.graded:
            log.info("%d answers of %s graded by %s", done.graded, day, judge.name)
        if done.stopped is not None:
            log.warning("%s; answers will be graded later", done.stopped)
    await tell_of_fall(gradings, reports, day, zone, settings.alerts, clock())
