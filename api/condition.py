"""Since when something does not work as it should, while the service goes on without it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from api.schemas import Degraded
from handrail.llm.health import Problem


class Looked(NamedTuple):
    """What was found, of all that takes a look."""

    checks: Mapping[str, str]
    paused: bool


class Condition:
    """Remembers when each failing check was first seen; what works again is forgotten."""

    def __init__(self, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._now = now
        self._since: dict[str, datetime] = {}
        self._looking: asyncio.Task[Looked] | None = None

    async def looked(self, look: Callable[[], Coroutine[Any, Any, Looked]]) -> Looked:
        """What `look` finds. Those who ask meanwhile are told the same: however many they are, it costs no more."""
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(look())
        return await asyncio.shield(self._looking)

    def degraded(self, checks: Mapping[str, str], problems: Iterable[Problem]) -> list[Degraded]:
        """Failing checks and problems of language models, the oldest first."""
        now = self._now()
        failing = {part: reason for part, reason in checks.items() if reason != "ok"}
        self._since = {part: self._since.get(part, now) for part in failing}
        found = [Degraded(part=part, reason=reason, since=self._since[part]) for part, reason in failing.items()]
        found += [Degraded(part=problem.task, reason=problem.says, since=problem.since) for problem in problems]
        return sorted(found, key=lambda one: one.since)
