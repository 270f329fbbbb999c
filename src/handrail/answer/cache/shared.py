"""A store in Redis, or any server that speaks its protocol, for all processes together."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, cast

from redis.asyncio import Redis
from redis.exceptions import RedisError

from handrail.accounts.keyspace import Keyspace

log = logging.getLogger(__name__)


class RedisStore:
    """Holds at most `most` values, each for `ttl_s` seconds; the oldest go first. `clock` returns seconds.

    While Redis is away nothing is found or kept, which is said once in the log. What was to be dropped meanwhile is
    dropped before anything else is read.
    """

    def __init__(
        self, redis: Redis, keys: Keyspace, name: str, ttl_s: int, most: int, clock: Callable[[], float]
    ) -> None:
        self._redis = redis
        self._keys = keys
        self._name = name
        self._ttl_s = ttl_s
        self._most = most
        self._clock = clock
        self._index = keys.key(name)
        self._owed: set[str] = set()
        self._away = False

    async def get(self, key: str) -> bytes | None:
        try:
            if self._owed:
                await self._redis.delete(*(self._key(owed) for owed in self._owed))
                self._owed.clear()
            found = await self._redis.get(self._key(key))
        except (RedisError, OSError) as error:
            self._say_once(error)
            return None
        self._away = False
        return found.encode() if isinstance(found, str) else found

    async def put(self, key: str, value: bytes) -> None:
        try:
            async with self._redis.pipeline(transaction=True) as pipe:
                pipe.set(self._key(key), value, ex=self._ttl_s)
                pipe.zadd(self._index, {key: self._clock()})
                pipe.expire(self._index, self._ttl_s)
                pipe.zrange(self._index, 0, -self._most - 1)
                pipe.zremrangebyrank(self._index, 0, -self._most - 1)
                done = await pipe.execute()
            over = cast(list[Any], done[3])
            if over:
                await self._redis.delete(*(self._key(_text(old)) for old in over))
        except (RedisError, OSError) as error:
            self._say_once(error)
            return
        self._owed.discard(key)

    async def drop(self, key: str) -> None:
        try:
            await self._redis.delete(self._key(key))
        except (RedisError, OSError) as error:
            self._owed.add(key)
            self._say_once(error)

    async def aclose(self) -> None:
        await self._redis.aclose()

    def _key(self, key: str) -> str:
        return self._keys.key(self._name, key)

    def _say_once(self, error: Exception) -> None:
        if not self._away:
            log.warning("can't reach Redis for cached answers (%s); repeated questions are answered anew", error)
        self._away = True


def _text(value: bytes | str) -> str:
    return value.decode() if isinstance(value, bytes) else value
