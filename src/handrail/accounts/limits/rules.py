"""Which windows are counted, and when each one ends."""

from __future__ import annotations

import math
from dataclasses import dataclass

from handrail.settings import Settings

MINUTE, HOUR, DAY = 60, 3600, 86_400


@dataclass(frozen=True, slots=True)
class Rule:
    """At most `limit` hits in each window of `window_s` seconds since the epoch, so a day is a UTC day."""

    scope: str
    window_s: int
    limit: int
    per_visitor: bool

    def window(self, now: float) -> int:
        return int(now // self.window_s)

    def seconds_left(self, now: float) -> int:
        """Whole seconds until the window holding `now` ends, at least 1."""
        return max(1, math.ceil((self.window(now) + 1) * self.window_s - now))


def question_rules(settings: Settings) -> tuple[Rule, ...]:
    """Shortest window first; scopes whose limit is 0 are absent, and so are all of them when counting is off."""
    limits = settings.limits
    if not limits.enabled:
        return ()
    per_day = limits.demo_global_per_day if settings.server.demo_mode else limits.global_per_day
    return _active(
        Rule("visitor_minute", MINUTE, limits.visitor_per_minute, True),
        Rule("global_minute", MINUTE, limits.global_per_minute, False),
        Rule("visitor_day", DAY, limits.visitor_per_day, True),
        Rule("global_day", DAY, per_day, False),
    )


def handoff_rules(settings: Settings) -> tuple[Rule, ...]:
    """Requests for a person are counted apart: a used-up question limit never stands in their way."""
    return _active(Rule("visitor_hour", HOUR, settings.limits.handoff_per_hour, True))


def message_rules(settings: Settings) -> tuple[Rule, ...]:
    """Messages to a person are no questions: neither the daily limit nor the others' questions stand in their way."""
    if not settings.limits.enabled:
        return ()
    return _active(Rule("visitor_minute", MINUTE, settings.desk.messages_per_minute, True))


def read_rules(settings: Settings) -> tuple[tuple[Rule, ...], tuple[Rule, ...]]:
    """Of one visitor, and of one network address."""
    limits = settings.limits
    if not limits.enabled:
        return (), ()
    return (
        _active(Rule("visitor_minute", MINUTE, limits.reads_per_visitor, True)),
        _active(Rule("address_minute", MINUTE, limits.reads_per_address, True)),
    )


def _active(*rules: Rule) -> tuple[Rule, ...]:
    return tuple(rule for rule in rules if rule.limit > 0)
