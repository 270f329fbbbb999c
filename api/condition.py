"""Since when something does not work as it should, while the service goes on without it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime

from api.schemas import Degraded
from handrail.llm.health import Problem


class Condition:
    """Remembers when each failing check was first seen; what works again is forgotten."""

    def __init__(self, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._now = now
        self._since: dict[str, datetime] = {}

    def degraded(self, checks: Mapping[str, str], problems: Iterable[Problem]) -> list[Degraded]:
        """Failing checks and problems of language models, the oldest first."""
        now = self._now()
        failing = {part: reason for part, reason in checks.items() if reason != "ok"}
        self._since = {part: self._since.get(part, now) for part in failing}
        found = [Degraded(part=part, reason=reason, since=self._since[part]) for part, reason in failing.items()]
        found += [Degraded(part=problem.task, reason=problem.says, since=problem.since) for problem in problems]
        return sorted(found, key=lambda one: one.since)
