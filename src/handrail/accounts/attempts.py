"""Attempts to sign in, counted before they are made, so that none of many at once is tried beyond the bound.

An attempt counts in several buckets at once or in none. One that succeeds is given back; all others stay for the
window. Check and count are one step: in Redis one script for all processes, otherwise one stretch of code without a
pause.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

from redis.asyncio import Redis
from redis.exceptions import RedisError

from handrail.accounts.keyspace import Keyspace

log = logging.getLogger(__name__)

SWEEP_S = 60.0
SLOT = "sign-in"

TAKE = """
local now, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local wait = 0
for i, key in ipairs(KEYS) do
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now - window)
  local over = redis.call('ZCARD', key) - tonumber(ARGV[3 + i])
  if over >= 0 then
    local freed = redis.call('ZRANGE', key, over, over, 'WITHSCORES')[2]
    wait = math.max(wait, tonumber(freed) + window - now)
  end
end
if wait > 0 then return tostring(wait) end
for _, key in ipairs(KEYS) do
  redis.call('ZADD', key, now, ARGV[3])
  redis.call('EXPIRE', key, math.ceil(window) + 60)
end
return '0'
"""
"""Each bucket is a sorted set of attempts by their time; returns seconds to wait, or counts and returns 0."""


@dataclass(frozen=True, slots=True)
class Bucket:
    """What attempts are counted for, such as an account at an address; `name` holds neither in clear."""

    name: str
    most: int
    """Attempts in the window."""


class Attempts(Protocol):
    async def take(self, attempt: str, buckets: Sequence[Bucket]) -> float:
        """Count an attempt under its id in all buckets; or in none, and then the seconds until it may be made."""
        ...

    async def give_back(self, attempt: str, buckets: Sequence[Bucket]) -> None:
        """It was none that should count."""
        ...


class InProcessAttempts:
    """For one process, and the spare when Redis is away. `clock` returns seconds since the epoch."""

    def __init__(self, window_s: float, clock: Callable[[], float]) -> None:
        self._window_s = window_s
        self._clock = clock
        self._made: dict[str, dict[str, float]] = {}
        """Times of attempts by bucket and id, oldest first."""
        self._swept = float("-inf")

    async def take(self, attempt: str, buckets: Sequence[Bucket]) -> float:
        now = self._clock()
        self._sweep(now)
        wait = 0.0
        for bucket in buckets:
            times = [at for at in self._made.get(bucket.name, {}).values() if at > now - self._window_s]
            if (over := len(times) - bucket.most) >= 0:
                wait = max(wait, times[over] + self._window_s - now)
        if wait > 0:
            return wait
        for bucket in buckets:
            self._made.setdefault(bucket.name, {})[attempt] = now
        return 0.0

    async def give_back(self, attempt: str, buckets: Sequence[Bucket]) -> None:
        for bucket in buckets:
            self._made.get(bucket.name, {}).pop(attempt, None)

    def _sweep(self, now: float) -> None:
        if abs(now - self._swept) < SWEEP_S:
            return
        self._swept = now
        for name, made in list(self._made.items()):
            self._made[name] = {id_: at for id_, at in made.items() if at > now - self._window_s}
            if not self._made[name]:
                del self._made[name]


class SharedAttempts:
    """For all processes with one Redis; each counts for itself while that is away, which is said once in the log."""

    def __init__(
        self, redis: Redis, keys: Keyspace, window_s: float, clock: Callable[[], float], spare: Attempts
    ) -> None:
        self._redis = redis
        self._keys = keys
        self._window_s = window_s
        self._clock = clock
        self._spare = spare
        self._script = redis.register_script(TAKE)
        self._away = False

    async def take(self, attempt: str, buckets: Sequence[Bucket]) -> float:
        most = [bucket.most for bucket in buckets]
        try:
            wait: Any = await self._script(
                keys=self._names(buckets), args=[self._clock(), self._window_s, attempt, *most]
            )
        except (RedisError, OSError) as error:
            if not self._away:
                log.warning("can't share sign-in counts (%s); each process counts on its own", error)
            self._away = True
            return await self._spare.take(attempt, buckets)
        self._away = False
        return float(wait)

    async def give_back(self, attempt: str, buckets: Sequence[Bucket]) -> None:
        await self._spare.give_back(attempt, buckets)
        try:
            async with self._redis.pipeline(transaction=True) as pipe:
                for name in self._names(buckets):
                    cast(Any, pipe).zrem(name, attempt)
                await pipe.execute()
        except (RedisError, OSError) as error:
            log.warning("can't take back a counted sign-in attempt; it expires by itself (%s)", type(error).__name__)

    def _names(self, buckets: Sequence[Bucket]) -> list[str]:
        return [self._keys.key(SLOT, bucket.name) for bucket in buckets]


def build_attempts(redis: Redis | None, keys: Keyspace, window_s: float, clock: Callable[[], float]) -> Attempts:
    """Counted in Redis where there is one."""
    own = InProcessAttempts(window_s, clock)
    return own if redis is None else SharedAttempts(redis, keys, window_s, clock, own)
