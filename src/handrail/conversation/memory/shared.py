"""Conversations remembered in Redis, or any server that speaks its protocol, for all processes together."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, cast

from redis.asyncio import Redis
from redis.exceptions import RedisError

from handrail.accounts.keyspace import Keyspace
from handrail.conversation.memory import Memory
from handrail.conversation.memory.window import MOST_EXCHANGES, Count, branch, latest, packed, unpacked
from handrail.types import Exchange

log = logging.getLogger(__name__)


class RedisMemory:
    """One list per conversation, trimmed and given its time to live with every turn, in one transaction.

    While Redis is away `spare` remembers for this process, which is said once in the log.
    """

    def __init__(
        self, redis: Redis, keys: Keyspace, window_tokens: int, ttl_s: int, count: Count, spare: Memory
    ) -> None:
        self._redis = redis
        self._keys = keys
        self._window_tokens = window_tokens
        self._ttl_s = ttl_s
        self._count = count
        self._spare = spare
        self._away = False

    async def recall(self, conversation_id: str, follows: str | None = None) -> Sequence[Exchange]:
        try:
            rows = await cast(Any, self._redis.lrange(self._key(conversation_id), -MOST_EXCHANGES, -1))
        except (RedisError, OSError) as error:
            self._say_once(error)
            return await self._spare.recall(conversation_id, follows)
        self._away = False
        found = [exchange for exchange in map(unpacked, rows) if exchange is not None]
        return latest(branch(found, follows), self._window_tokens, self._count)

    async def remember(self, conversation_id: str, exchange: Exchange, *, continued: bool = False) -> None:
        key = self._key(conversation_id)
        try:
            async with self._redis.pipeline(transaction=True) as pipe:
                (pipe.rpushx if continued else pipe.rpush)(key, packed(exchange))
                pipe.ltrim(key, -MOST_EXCHANGES, -1)
                pipe.expire(key, self._ttl_s)
                await pipe.execute()
        except (RedisError, OSError) as error:
            self._say_once(error)
            await self._spare.remember(conversation_id, exchange, continued=continued)

    async def forget(self, conversation_id: str) -> None:
        await self._spare.forget(conversation_id)
        try:
            await self._redis.delete(self._key(conversation_id))
        except (RedisError, OSError) as error:
            self._say_once(error)

    async def aclose(self) -> None:
        await self._redis.aclose()

    def _key(self, conversation_id: str) -> str:
        """Ids come from outside, so they are hashed: none is of any length."""
        return self._keys.key(f"conversation:{blake2b(conversation_id.encode(), digest_size=16).hexdigest()}")

    def _say_once(self, error: Exception) -> None:
        if not self._away:
            log.warning("can't reach Redis for conversations (%s); each process remembers on its own", error)
        self._away = True
