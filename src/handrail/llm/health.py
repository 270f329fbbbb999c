"""How the providers have been doing lately: what readiness, the desk and the log say of them."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from handrail.llm.kinds import Failure

logger = logging.getLogger("handrail.llm")

FORGOTTEN_AFTER = timedelta(hours=1)
"""A problem with one task that was not seen again for this long is dropped: the task may be rare."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A provider that fails, since when, and at what."""

    provider: str
    model: str
    task: str
    """Name of the prompt, such as `answer`."""
    failure: Failure
    since: datetime
    seen: datetime

    @property
    def says(self) -> str:
        return f"{self.provider} ({self.model}) fails at the task {self.task}: {self.failure.says}"


class Health:
    """Failures are counted by provider and kind; a problem lasts until the same works again."""

    def __init__(self, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._clock = clock
        self._problems: dict[tuple[str, str], Problem] = {}
        self.counts: Counter[tuple[str, Failure]] = Counter()

    def failed(self, provider: str, model: str, task: str, failure: Failure, says: str) -> None:
        """Logs one sentence; `says` must quote neither keys nor what visitors wrote."""
        self.counts[provider, failure] += 1
        if failure is Failure.SKIPPED:
            return  # was said when it failed
        times = self.counts[provider, failure]
        logger.warning("%s failed at %s: %s (%s, %d since start)", provider, task, says, failure.value, times)
        if failure.about_one_message:
            return
        now, key = self._clock(), (provider, task)
        before = self._problems.get(key)
        since = before.since if before is not None else now
        self._problems[key] = Problem(provider, model, task, failure, since, now)

    def succeeded(self, provider: str, task: str) -> None:
        """What failed at this task works again, and so does whatever kept the provider from any task."""
        kept = {
            key: problem
            for key, problem in self._problems.items()
            if key[0] != provider or (key[1] != task and problem.failure.about_one_task)
        }
        self._problems = kept

    def problems(self) -> tuple[Problem, ...]:
        """Those that last, the oldest first."""
        now = self._clock()
        lasting = [
            problem
            for problem in self._problems.values()
            if not problem.failure.about_one_task or now - problem.seen < FORGOTTEN_AFTER
        ]
        return tuple(sorted(lasting, key=lambda problem: problem.since))
