"""Counting in this process alone: right for one process, and the spare when Redis is away."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from threading import Lock

from handrail.accounts.limits import Allowed, Denied
from handrail.accounts.limits.rules import Rule


@dataclass(slots=True)
class _Window:
    number: int = -1
    hits: Counter[bytes] = field(default_factory=Counter)


class InProcessLimiter:
    """Holds only the visitors of the windows that are open; `clock` returns seconds since the epoch."""

    def __init__(self, rules: Sequence[Rule], clock: Callable[[], float]) -> None:
        self._clock = clock
        self._windows = [(rule, _Window()) for rule in rules]
        self._salt = secrets.token_bytes(16)
        self._lock = Lock()

    async def hit(self, visitor: str | None) -> Allowed | Denied:
        with self._lock:
            now = self._clock()
            for rule, window in self._windows:
                _turn_over(window, rule.window(now))
            counted = self._counted(visitor)
            full = [rule for rule, window, who in counted if window.hits[who] >= rule.limit]
            if full:
                rule = max(full, key=lambda rule: rule.seconds_left(now))
                return Denied(rule.scope, rule.seconds_left(now))
            for _, window, who in counted:
                window.hits[who] += 1
        return Allowed()

    async def give_back(self, visitor: str | None) -> None:
        with self._lock:
            for _, window, who in self._counted(visitor):
                if window.hits[who] > 1:
                    window.hits[who] -= 1
                else:
                    del window.hits[who]

    def _counted(self, visitor: str | None) -> list[tuple[Rule, _Window, bytes]]:
        key = blake2b((visitor or "").encode(), key=self._salt, digest_size=12).digest()
        return [
            (rule, window, key if rule.per_visitor else b"")
            for rule, window in self._windows
            if visitor is not None or not rule.per_visitor
        ]

    @property
    def remembered(self) -> int:
        """Counters held, over all windows."""
        return sum(len(window.hits) for _, window in self._windows)


def _turn_over(window: _Window, number: int) -> None:
    if number > window.number:
        window.number = number
        window.hits = Counter()
