"""The sample of one day before the judge: each answer once, however many processes grade."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from handrail.desk.drift.judging import Given, Judged, judged
from handrail.desk.reports.period import Period
from handrail.errors import BudgetExhausted, HandrailError
from handrail.llm.judge import AT_ONCE, Judge
from handrail.llm.meter import Bounds, metering
from handrail.records.gradings import JUDGE, Drawn, GradingRecords

log = logging.getLogger("handrail.drift")

AGAIN_S = 6 * 3600.0
"""After which an answer that the judge could not grade is tried again."""
IN_A_ROW = 4
"""Failures after which the judge is left alone."""


def last_whole_day(zone: ZoneInfo, now: float) -> date:
    return datetime.fromtimestamp(now, zone).date() - timedelta(days=1)


async def sample_of(records: GradingRecords, day: date, zone: ZoneInfo, size: int) -> list[Drawn]:
    period = Period(day, day, zone)
    return await records.sample(day.isoformat(), period.start, period.end, size)


@dataclass(slots=True)
class Outcome:
    """What became of a day's sample."""

    graded: int = 0
    uncited: int = 0
    """Answers that cite nothing: left to people."""
    failed: int = 0
    spent_usd: float = 0.0
    stopped: str | None = None
    """Why some were not asked about."""
    _in_a_row: int = 0

    def told(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("graded", "uncited", "failed", "spent_usd", "stopped")}

    def add(self, found: Judged | HandrailError | None) -> None:
        self.graded += isinstance(found, Judged)
        self.uncited += found is None
        failed = isinstance(found, HandrailError)
        self.failed += failed
        self._in_a_row = self._in_a_row + 1 if failed else 0
        if self._in_a_row >= IN_A_ROW:
            self.stopped = f"the judge failed {IN_A_ROW} times in a row: {found}"


@dataclass(slots=True)
class Grading:
    """Grades what nobody has graded before. `clock` returns seconds since the epoch."""

    records: GradingRecords
    judge: Judge
    kb: str
    clock: Callable[[], float]
    again_s: float = AGAIN_S
    max_usd: float = 0.0
    """0 is no limit."""
    advance: Callable[[], object] = lambda: None

    async def grade(self, day: date, sample: Sequence[Drawn]) -> Outcome:
        outcome, dearest = Outcome(), 0.0
        with metering(Bounds(cost_usd=self.max_usd)) as meter:
            for start in range(0, len(sample), AT_ONCE):
                before = meter.usage.cost_usd
                await self._few(day.isoformat(), sample[start : start + AT_ONCE], outcome)
                dearest = max(dearest, meter.usage.cost_usd - before)
                if self.max_usd and meter.usage.cost_usd + dearest > self.max_usd:
                    outcome.stopped = outcome.stopped or f"the budget of {self.max_usd:.2f} USD is used up"
                if outcome.stopped is not None:
                    break
            outcome.spent_usd = meter.usage.cost_usd
        return outcome

    async def _few(self, day: str, few: Sequence[Drawn], outcome: Outcome) -> None:
        waiting = [one for one in few if JUDGE not in one.grades]
        asked = {"day": day, "who": self.judge.name[:120], "kb": self.kb}
        mine = await self.records.take(waiting, asked, self.clock(), self.again_s)
        unsettled = set(mine)

        async def work(drawn: Drawn) -> None:
            id_, found = drawn.evidence.turn_id, await self._judged(drawn)
            if isinstance(found, BudgetExhausted):
                return
            grade, note = (found.grade, found.note) if isinstance(found, Judged) else (None, str(found or "no sources"))
            await self.records.settle(day, id_, grade, note, self.clock())
            unsettled.discard(id_)
            outcome.add(found)

        try:
            await asyncio.gather(*(work(one) for one in waiting if one.evidence.turn_id in mine))
        finally:
            if unsettled:
                await asyncio.shield(self.records.give_back(day, unsettled))
            for _ in few:
                self.advance()

    async def _judged(self, drawn: Drawn) -> Judged | HandrailError | None:
        row = drawn.evidence
        closest = row.meta.get("shown", {}).get("closest", [])
        try:
            return await judged(self.judge, Given(row.question, row.passages, row.claims, closest, drawn.before))
        except HandrailError as error:
            log.warning("an answer could not be graded: %s", error)
            return error
