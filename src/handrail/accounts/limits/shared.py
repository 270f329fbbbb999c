"""Counting in Redis, or any server that speaks its protocol, for all processes together."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from hashlib import blake2b

from redis.asyncio import Redis
from redis.exceptions import RedisError

from handrail.accounts.keyspace import Keyspace
from handrail.accounts.limits import Allowed, Denied, LimitsUnavailable
from handrail.accounts.limits.rules import DAY, Rule

SLOT = "limits"
"""One slot of a cluster for all, which a script over several keys needs."""

CHECK_AND_ADD = """
local full = {}
for i, key in ipairs(KEYS) do
  local hits = tonumber(redis.call('GET', key) or '0')
  if hits >= tonumber(ARGV[2 * i - 1]) then full[#full + 1] = i end
end
if #full > 0 then return full end
for i, key in ipairs(KEYS) do
  redis.call('INCR', key)
  redis.call('EXPIRE', key, ARGV[2 * i])
end
return full
"""
"""Returns the places of the used-up rules; counts only when there are none."""

TAKE_BACK = """
for _, key in ipairs(KEYS) do
  if tonumber(redis.call('GET', key) or '0') > 0 then redis.call('DECR', key) end
end
"""


class Salt:
    """All processes share one that changes daily: visitors cannot be followed from one day to the next."""

    def __init__(self, redis: Redis, keys: Keyspace) -> None:
        self._redis = redis
        self._keys = keys
        self._known: tuple[int, bytes] = (-1, b"")

    async def hashed(self, visitor: str, now: float) -> str:
        """What stands for a visitor today. Raises RedisError and OSError."""
        day = int(now // DAY)
        if self._known[0] != day:
            key = self._keys.key(SLOT, "salt", day)
            await self._redis.set(key, secrets.token_hex(16), nx=True, ex=2 * DAY)
            salt = await self._redis.get(key)
            self._known = (day, salt.encode() if isinstance(salt, str) else salt or b"")
        return blake2b(visitor.encode(), key=self._known[1], digest_size=12).hexdigest()


class RedisLimiter:
    """`name` keeps the counters of different limits apart; `clock` returns seconds since the epoch."""

    def __init__(
        self, redis: Redis, keys: Keyspace, name: str, rules: Sequence[Rule], clock: Callable[[], float]
    ) -> None:
        self._keys = keys
        self._name = name
        self._rules = rules
        self._clock = clock
        self._script = redis.register_script(CHECK_AND_ADD)
        self._take_back = redis.register_script(TAKE_BACK)
        self._salt = Salt(redis, keys)

    async def hit(self, visitor: str | None) -> Allowed | Denied:
        rules = [rule for rule in self._rules if visitor is not None or not rule.per_visitor]
        if not rules:
            return Allowed()
        now = self._clock()
        try:
            who = await self._salt.hashed(visitor or "", now)
            keys = [self._key(rule, now, who) for rule in rules]
            bounds = [n for rule in rules for n in (rule.limit, rule.seconds_left(now) + 60)]
            full = await self._script(keys=keys, args=bounds)
        except (RedisError, OSError) as error:
            raise LimitsUnavailable("can't reach the shared request counters") from error
        if not full:
            return Allowed()
        rule = max((rules[place - 1] for place in full), key=lambda rule: rule.seconds_left(now))
        return Denied(rule.scope, rule.seconds_left(now))

    async def give_back(self, visitor: str | None) -> None:
        rules = [rule for rule in self._rules if visitor is not None or not rule.per_visitor]
        if not rules:
            return
        now = self._clock()
        try:
            who = await self._salt.hashed(visitor or "", now)
            await self._take_back(keys=[self._key(rule, now, who) for rule in rules])
        except (RedisError, OSError) as error:
            raise LimitsUnavailable("can't reach the shared request counters") from error

    def _key(self, rule: Rule, now: float, who: str) -> str:
        return self._keys.key(SLOT, self._name, rule.scope, rule.window(now), who if rule.per_visitor else "*")
