"""Budgets in Redis, for all processes together."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from redis.asyncio import Redis
from redis.exceptions import RedisError

from handrail.accounts.keyspace import Keyspace
from handrail.accounts.limits import Denied, LimitsUnavailable
from handrail.accounts.limits.budget import Allowance, Budget, Reservation, Unbounded, bearing, refused, taken
from handrail.accounts.limits.shared import SLOT, Salt
from handrail.types.usage import Usage

log = logging.getLogger(__name__)

KEPT_S = 7200
"""How long after its day an account is kept, for turns that end after midnight."""

RESERVE = """
local short = {}
for i, key in ipairs(KEYS) do
  local limit, need = tonumber(ARGV[3 * i - 2]), tonumber(ARGV[3 * i - 1])
  local used = tonumber(redis.call('HGET', key, 'used') or '0')
  local held = tonumber(redis.call('HGET', key, 'held') or '0')
  if used + need > limit then
    short[#short + 1] = i
    short[#short + 1] = 1
  elseif used + held + need > limit then
    short[#short + 1] = i
    short[#short + 1] = 0
  end
end
if #short > 0 then return short end
for i, key in ipairs(KEYS) do
  redis.call('HINCRBY', key, 'held', ARGV[3 * i - 1])
  redis.call('EXPIRE', key, ARGV[3 * i])
end
return short
"""
"""Returns the places of what is short, each followed by whether it is used up (1) or held (0); holds if none is."""

SETTLE = """
for i, key in ipairs(KEYS) do
  if redis.call('EXISTS', key) == 1 then
    redis.call('HINCRBY', key, 'held', -tonumber(ARGV[2 * i - 1]))
    redis.call('HINCRBY', key, 'used', ARGV[2 * i])
  end
end
"""


class RedisBudget:
    """What a process that dies has reserved stays held until the day ends; `clock` returns seconds since the epoch."""

    def __init__(self, redis: Redis, keys: Keyspace, given: Sequence[Allowance], clock: Callable[[], float]) -> None:
        self._keys = keys
        self._given = given
        self._clock = clock
        self._salt = Salt(redis, keys)
        self._reserve = redis.register_script(RESERVE)
        self._settle = redis.register_script(SETTLE)

    async def reserve(self, visitor: str | None) -> Reservation | Denied:
        given = bearing(self._given, visitor)
        if not given:
            return Unbounded()
        now = self._clock()
        try:
            who = await self._salt.hashed(visitor or "", now)
            names = [
                self._keys.key(SLOT, "budget", rule.scope, rule.window(now), who if rule.per_visitor else "*")
                for rule in (each.rule for each in given)
            ]
            bounds = [n for each in given for n in (each.rule.limit, each.need, each.rule.seconds_left(now) + KEPT_S)]
            short: Any = await self._reserve(keys=names, args=bounds)
        except (RedisError, OSError) as error:
            raise LimitsUnavailable("can't reach the shared budgets") from error
        if short:
            pairs = zip(short[::2], short[1::2], strict=True)
            return refused([(given[int(place) - 1], int(used_up) == 1) for place, used_up in pairs], now)
        return _Held(self, dict(zip(names, given, strict=True)))

    async def settle(self, held: Mapping[str, Allowance], usage: Usage | None) -> None:
        amounts = [n for each in held.values() for n in (each.need, taken(usage, each))]
        try:
            await self._settle(keys=list(held), args=amounts)
        except (RedisError, OSError) as error:
            log.warning("can't settle what a turn cost (%s); it stays reserved until the day ends", error)


@dataclass(slots=True)
class _Held:
    budget: RedisBudget
    held: Mapping[str, Allowance]

    async def settle(self, usage: Usage | None) -> None:
        await self.budget.settle(self.held, usage)


class SpareBudget:
    """Counts in `shared`; in `spare` while that is away, which is said once in the log."""

    def __init__(self, shared: Budget, spare: Budget) -> None:
        self._shared = shared
        self._spare = spare
        self._away = False

    async def reserve(self, visitor: str | None) -> Reservation | Denied:
        try:
            found = await self._shared.reserve(visitor)
        except LimitsUnavailable as error:
            if not self._away:
                log.warning("%s; each process counts on its own until they are back", error)
            self._away = True
            return await self._spare.reserve(visitor)
        self._away = False
        return found
