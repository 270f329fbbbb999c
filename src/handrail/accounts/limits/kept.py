"""Days counted in the records, where there is no Redis: all processes with the same records share them.

Whoever asks again and again is stopped by this process's own counters, and by what it remembers of a day that is used
up, before anything is written. While the records are away, each process counts on its own, or no question is taken.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from handrail.accounts.limits import Allowed, Denied, LimitsUnavailable
from handrail.accounts.limits.budget import Allowance, InProcessBudget, Reservation, bearing, refused, taken
from handrail.accounts.limits.in_process import InProcessLimiter
from handrail.accounts.limits.rules import DAY, Rule
from handrail.records import RecordsUnavailable
from handrail.records.daily_counts import Bound, DailyCounts, Full
from handrail.types.usage import Usage

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Kept:
    """Where days are counted; `secret` keeps readers of the records from telling who somebody was."""

    counts: DailyCounts
    secret: bytes
    clock: Callable[[], float]
    must: bool = False
    """Whether what can't be counted there is refused: a process that counts on its own begins at nothing."""

    def away(self, error: RecordsUnavailable, first: bool) -> None:
        """Tell the log once. Raises LimitsUnavailable where the records must count."""
        if first:
            then = "no question is taken" if self.must else "each process counts on its own"
            log.warning("%s; %s until then", error, then)
        if self.must:
            raise LimitsUnavailable("can't count in the records") from error

    def bound(self, rule: Rule, visitor: str | None, now: float) -> Bound:
        return Bound(rule.scope, self._hashed(visitor or "", rule.window(now)) if rule.per_visitor else "", rule.limit)

    def _hashed(self, visitor: str, day: int) -> str:
        return blake2b(f"{day}:{visitor}".encode(), key=self.secret[:64], digest_size=12).hexdigest()


class KeptLimiter:
    """Counts in this process, and days in the records besides."""

    def __init__(self, kept: Kept, rules: Sequence[Rule]) -> None:
        self._kept = kept
        self._own = InProcessLimiter(rules, kept.clock)
        self._days = [rule for rule in rules if rule.window_s == DAY]
        self._full: dict[Bound, int] = {}
        """The day on which each was found to be used up."""
        self._away = False

    async def hit(self, visitor: str | None) -> Allowed | Denied:
        """Raises LimitsUnavailable."""
        now = self._kept.clock()
        day, bounds = int(now // DAY), self._bounds(visitor, now)
        self._full = {bound: since for bound, since in self._full.items() if since == day}
        known = next((rule for rule, bound in bounds.items() if bound in self._full), None)
        if known is not None:
            return Denied(known.scope, known.seconds_left(now))
        verdict = await self._own.hit(visitor)
        if isinstance(verdict, Denied) or not bounds:
            return verdict
        try:
            await self._kept.counts.use(day, list(bounds.values()))
        except Full as error:
            self._full[error.bound] = day
            await self._own.give_back(visitor)
            rule = next(rule for rule, bound in bounds.items() if bound == error.bound)
            return Denied(rule.scope, rule.seconds_left(now))
        except RecordsUnavailable as error:
            first, self._away = not self._away, True
            self._kept.away(error, first)
            return verdict
        self._away = False
        return verdict

    async def give_back(self, visitor: str | None) -> None:
        await self._own.give_back(visitor)
        now = self._kept.clock()
        bounds = self._bounds(visitor, now)
        if bounds and not self._away:
            try:
                await self._kept.counts.give_back(int(now // DAY), list(bounds.values()))
            except RecordsUnavailable as error:
                log.warning("%s; a question that was refused stays counted", error)

    def _bounds(self, visitor: str | None, now: float) -> dict[Rule, Bound]:
        rules = (rule for rule in self._days if visitor is not None or not rule.per_visitor)
        return {rule: self._kept.bound(rule, visitor, now) for rule in rules}


class KeptBudget:
    """What a process that dies has reserved stays held until the day ends."""

    def __init__(self, kept: Kept, given: Sequence[Allowance]) -> None:
        self._kept = kept
        self._given = given
        self._spare = InProcessBudget(given, kept.clock)
        self._away = False

    async def reserve(self, visitor: str | None) -> Reservation | Denied:
        now = self._kept.clock()
        places = {self._kept.bound(each.rule, visitor, now): each for each in bearing(self._given, visitor)}
        day = int(now // DAY)
        try:
            if places:
                await self._kept.counts.hold(day, {bound: each.need for bound, each in places.items()})
        except Full as error:
            return refused([(places[error.bound], error.used_up)], now)
        except RecordsUnavailable as error:
            first, self._away = not self._away, True
            self._kept.away(error, first)
            return await self._spare.reserve(visitor)
        self._away = False
        return _Held(self._kept.counts, day, places)


@dataclass(slots=True)
class _Held:
    counts: DailyCounts
    day: int
    places: Mapping[Bound, Allowance]

    async def settle(self, usage: Usage | None) -> None:
        if not self.places:
            return
        amounts = {bound: (taken(usage, each), each.need) for bound, each in self.places.items()}
        try:
            await self.counts.settle(self.day, amounts)
        except RecordsUnavailable as error:
            log.warning("%s; what a turn cost stays reserved until the day ends", error)
