"""Events of turns in Redis streams, so that any process can serve a visitor who comes back, and stop his turn."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

from redis.asyncio import Redis
from redis.exceptions import RedisError

from handrail.accounts.keyspace import Keyspace
from handrail.conversation.streams import Event, OwnerGone
from handrail.conversation.streams.journal import Journal

ALIVE_S = 5
"""An owner that has not said for this long that it is alive has died."""
FOLLOWED_S = 2
BLOCK_MS = 400
"""Less than the socket's own timeout."""
PAUSE_S = 0.5
OVER = ""
"""An event without data: the turn is over."""


@dataclass(frozen=True, slots=True)
class Signal:
    """What other processes want of a turn."""

    stop: bool
    followed: bool


class SharedStreams:
    """Redis keys of one turn share a slot of a cluster: events, the owner's sign of life, a wish to stop, followers."""

    def __init__(self, redis: Redis, keys: Keyspace, keep_s: int) -> None:
        self._redis = redis
        self._keys = keys
        self._keep_s = keep_s

    async def mirror(self, turn_id: str, journal: Journal) -> None:
        """Copy a journal as it grows. While Redis is away the turn goes on; what is missed is copied afterwards."""
        sent, begun, finished = 0, False, False
        while not finished:
            await journal.news(sent)
            events, over = journal.since(sent), journal.over
            try:
                async with self._redis.pipeline(transaction=False) as pipe:
                    if not begun:
                        pipe.delete(_key(self._keys, turn_id, "events"), _key(self._keys, turn_id, "stop"))
                        pipe.set(_key(self._keys, turn_id, "alive"), 1, ex=ALIVE_S)
                    for event in events:
                        pipe.xadd(_key(self._keys, turn_id, "events"), {"data": event.data}, id=f"{event.number}-0")
                    if over:
                        last = sent + len(events)
                        pipe.xadd(_key(self._keys, turn_id, "events"), {"data": OVER}, id=f"{last + 1}-0")
                        pipe.delete(_key(self._keys, turn_id, "alive"))
                    pipe.expire(_key(self._keys, turn_id, "events"), self._keep_s)
                    await pipe.execute()
            except (RedisError, OSError):
                if over:
                    return
                # How much of the last batch arrived is unknown: begin again, the numbers stay the same.
                sent, begun = 0, False
                await asyncio.sleep(PAUSE_S)
                continue
            begun, sent, finished = True, sent + len(events), over

    async def find(self, turn_id: str) -> SharedJournal | None:
        try:
            there = await self._redis.exists(_key(self._keys, turn_id, "events"))
        except (RedisError, OSError):
            return None
        return SharedJournal(self._redis, self._keys, turn_id) if there else None

    async def stop(self, turn_id: str) -> bool:
        """Ask the owner to stop; whether there is one."""
        try:
            if not await self._redis.exists(_key(self._keys, turn_id, "alive")):
                return False
            await self._redis.set(_key(self._keys, turn_id, "stop"), 1, ex=60)
        except (RedisError, OSError):
            return False
        return True

    async def forget(self, turn_ids: Sequence[str]) -> None:
        """Drop all there is of these turns. Raises RedisError and OSError while Redis is away."""
        for turn_id in turn_ids:
            await self._redis.delete(
                *(_key(self._keys, turn_id, what) for what in ("events", "alive", "stop", "followed"))
            )

    async def signals(self, turn_ids: Sequence[str]) -> dict[str, Signal]:
        """Say that these turns are alive, and hear what is wanted of them; nothing while Redis is away."""
        try:
            async with self._redis.pipeline(transaction=False) as pipe:
                for turn_id in turn_ids:
                    pipe.set(_key(self._keys, turn_id, "alive"), 1, ex=ALIVE_S)
                    pipe.exists(_key(self._keys, turn_id, "stop"))
                    pipe.exists(_key(self._keys, turn_id, "followed"))
                answers: list[Any] = await pipe.execute()
        except (RedisError, OSError):
            return {}
        return {
            turn_id: Signal(bool(stop), bool(followed))
            for turn_id, stop, followed in zip(turn_ids, answers[1::3], answers[2::3], strict=True)
        }


class SharedJournal:
    """A Followable that another process writes."""

    def __init__(self, redis: Redis, keys: Keyspace, turn_id: str) -> None:
        self._redis = redis
        self._keys = keys
        self._turn_id = turn_id

    async def follow(self, after: int, idle_s: float) -> AsyncIterator[Event | None]:
        loop = asyncio.get_running_loop()
        quiet_since = loop.time()
        while True:
            found = await self._read(after)
            for event in found:
                if event.data == OVER:
                    return
                after, quiet_since = event.number, loop.time()
                yield event
            if not found and not await self._owned():
                # What the owner wrote between the two questions is still to be read.
                found = await self._read(after)
                if not found:
                    raise OwnerGone("the process that ran this turn has died")
            if loop.time() - quiet_since >= idle_s:
                quiet_since = loop.time()
                yield None

    async def _read(self, after: int) -> list[Event]:
        key = _key(self._keys, self._turn_id, "events")
        try:
            await self._redis.set(_key(self._keys, self._turn_id, "followed"), 1, ex=FOLLOWED_S)
            answer: Any = await self._redis.xread({key: f"{after}-0"}, block=BLOCK_MS)
        except (RedisError, OSError) as error:
            raise OwnerGone("can't reach the shared events") from error
        rows = [row for _, found in answer for row in found]
        return [Event(int(id_.split(b"-")[0]), fields[b"data"].decode()) for id_, fields in rows]

    async def _owned(self) -> bool:
        try:
            return bool(await self._redis.exists(_key(self._keys, self._turn_id, "alive")))
        except (RedisError, OSError):
            return False


def _key(keys: Keyspace, turn_id: str, what: str) -> str:
    return keys.key(f"turn:{turn_id}", what)
