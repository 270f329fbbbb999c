"""What turns may cost in a UTC day, in tokens and money: reserved before a turn, settled after it.

A turn reserves all that it may take, so that of many at once no more begin than the budget bears. Until it is settled,
nobody else can have that; what it did not take is free again.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Protocol

from handrail.accounts.limits import Denied
from handrail.accounts.limits.rules import DAY, Rule
from handrail.errors import SettingsError
from handrail.settings import Settings
from handrail.types.usage import Usage

HELD_RETRY_S = 5
"""When to come back where only turns under way stand in the way: they will take less than they hold."""
TOKENS, MONEY = "tokens", "money"


@dataclass(frozen=True, slots=True)
class Allowance:
    """A day's bound, and what one turn reserves of it: tokens, or millionths of a US dollar."""

    rule: Rule
    unit: str
    need: int


class Reservation(Protocol):
    async def settle(self, usage: Usage | None) -> None:
        """Count what was used, once; None where that is unknown, which counts all that was reserved."""
        ...


class Budget(Protocol):
    async def reserve(self, visitor: str | None) -> Reservation | Denied:
        """Hold what a turn may take in every allowance, or in none. Raises LimitsUnavailable.

        None is a program with a key: only what everybody has together bounds it.
        """
        ...


class Unbounded:
    """A reservation of nothing."""

    async def settle(self, usage: Usage | None) -> None:
        return None


def allowances(settings: Settings) -> tuple[Allowance, ...]:
    """Those that are set. Raises SettingsError where one turn has no bound, or a larger one than the day."""
    limits, llm = settings.limits, settings.llm
    if not limits.enabled:
        return ()
    given = (
        ("visitor_tokens_per_day", Rule("visitor_tokens", DAY, limits.visitor_tokens_per_day, True)),
        ("visitor_usd_per_day", Rule("visitor_money", DAY, _millionths(limits.visitor_usd_per_day), True)),
        ("global_tokens_per_day", Rule("global_tokens", DAY, limits.global_tokens_per_day, False)),
        ("global_usd_per_day", Rule("global_money", DAY, _millionths(limits.global_usd_per_day), False)),
    )
    needs = {TOKENS: llm.turn_max_tokens, MONEY: _millionths(llm.turn_max_usd)}
    found = []
    for name, rule in given:
        unit = TOKENS if rule.scope.endswith(TOKENS) else MONEY
        of_turn = "llm.turn_max_tokens" if unit == TOKENS else "llm.turn_max_usd"
        if rule.limit and not 0 < needs[unit] <= rule.limit:
            raise SettingsError(
                f"limits.{name} needs {of_turn} above 0 and not above it: a turn starts only if all that it may take "
                "is left of the day"
            )
        if rule.limit:
            found.append(Allowance(rule, unit, needs[unit]))
    return tuple(found)


def taken(usage: Usage | None, allowance: Allowance) -> int:
    """What a turn took of an allowance, in its unit."""
    if usage is None:
        return allowance.need
    if allowance.unit == TOKENS:
        return usage.input_tokens + usage.output_tokens
    return _millionths(usage.cost_usd)


def bearing(given: Sequence[Allowance], visitor: str | None) -> list[Allowance]:
    """Those that bound this visitor's turns."""
    return [each for each in given if visitor is not None or not each.rule.per_visitor]


def refused(found: Sequence[tuple[Allowance, bool]], now: float) -> Denied:
    """By what is short, and whether it is used up or only held; the longest wait counts."""
    each, used_up = max(found, key=lambda short: short[1])
    return Denied(each.rule.scope, each.rule.seconds_left(now) if used_up else HELD_RETRY_S)


Place = tuple[str, str]
"""A scope, and the visitor where it has one for each."""


class InProcessBudget:
    """For one process, and the spare when Redis is away; `clock` returns seconds since the epoch."""

    def __init__(self, given: Sequence[Allowance], clock: Callable[[], float]) -> None:
        self._given = given
        self._clock = clock
        self._day = -1
        self._used: Counter[Place] = Counter()
        self._held: Counter[Place] = Counter()
        self._lock = Lock()

    async def reserve(self, visitor: str | None) -> Reservation | Denied:
        places = {
            (each.rule.scope, visitor or "" if each.rule.per_visitor else ""): each
            for each in bearing(self._given, visitor)
        }
        with self._lock:
            now = self._clock()
            if (day := int(now // DAY)) > self._day:
                self._day, self._used, self._held = day, Counter(), Counter()
            short = []
            for place, each in places.items():
                used, held = self._used[place], self._held[place]
                if used + held + each.need > each.rule.limit:
                    short.append((each, used + each.need > each.rule.limit))
            if short:
                return refused(short, now)
            for place, each in places.items():
                self._held[place] += each.need
            return _Held(self, self._day, places)

    def settle(self, day: int, places: Mapping[Place, Allowance], usage: Usage | None) -> None:
        with self._lock:
            if day != self._day:
                return
            for place, each in places.items():
                self._held[place] -= each.need
                self._used[place] += taken(usage, each)


@dataclass(slots=True)
class _Held:
    budget: InProcessBudget
    day: int
    places: Mapping[Place, Allowance]

    async def settle(self, usage: Usage | None) -> None:
        self.budget.settle(self.day, self.places, usage)


def _millionths(usd: float) -> int:
    return math.ceil(round(usd * 1e6, 3))
