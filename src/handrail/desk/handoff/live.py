"""Live events: whoever watches a conversation or the desk hears at once that there is something to see.

The database is the truth. An event that is lost costs a moment, never a message: whoever follows reads again from the
last one seen, and does so now and then in any case.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any
from uuid import uuid4

from redis.asyncio import Redis
from redis.exceptions import RedisError

from handrail.accounts.keyspace import Keyspace

Event = dict[str, Any]

DESK = "desk"
SYNC: Event = {"type": "sync"}
"""Something may have been missed: look again."""
OVER: Event = {"type": "over"}
"""Nothing more will come: what serves these events ends."""
MOST_WAITING = 500
PAUSE_S = 1.0
LISTEN_S = 1.0


def conversation_topic(conversation_id: str) -> str:
    return f"conversation:{conversation_id}"


class Hub:
    """Publishes within this process at once, and to all others through Redis pub/sub where there is one."""

    def __init__(self, keys: Keyspace, redis: Redis | None = None) -> None:
        self._redis = redis
        self._channel = keys.key("live")
        self._origin = uuid4().hex
        self._queues: dict[str, set[asyncio.Queue[Event]]] = {}
        self._listeners: list[Any] = []
        self._over = False

    def on_event(self, listener: Any) -> None:
        """Call `listener(topic, event)` for every event of any process."""
        self._listeners.append(listener)

    @contextmanager
    def subscribe(self, topic: str) -> Iterator[asyncio.Queue[Event]]:
        """Events of a topic from now on. Whoever falls far behind gets one `sync` in place of what he missed."""
        queue: asyncio.Queue[Event] = asyncio.Queue(MOST_WAITING)
        if self._over:
            queue.put_nowait(OVER)
        self._queues.setdefault(topic, set()).add(queue)
        try:
            yield queue
        finally:
            self._queues[topic].discard(queue)
            if not self._queues[topic]:
                del self._queues[topic]

    def close(self) -> None:
        """Whoever follows hears `OVER`, now and from now on."""
        self._over = True
        self._everybody(OVER)

    async def publish(self, topic: str, *events: Event) -> None:
        """Never raises: while Redis is away, other processes see it when they look again."""
        for event in events:
            self._deliver(topic, event)
        if self._redis is None or not events:
            return
        with suppress(RedisError, OSError):  # the connection has said so
            await self._redis.publish(self._channel, json.dumps([self._origin, topic, events]))

    async def listen(self) -> None:
        """Hear other processes until cancelled; returns at once without Redis."""
        while self._redis is not None:
            try:
                async with self._redis.pubsub() as channel:
                    await channel.subscribe(self._channel)
                    self._everybody(SYNC)
                    while True:
                        message = await channel.get_message(ignore_subscribe_messages=True, timeout=LISTEN_S)
                        if message is not None:
                            self._receive(message["data"])
            except (RedisError, OSError):
                await asyncio.sleep(PAUSE_S)

    def _receive(self, data: bytes | str) -> None:
        origin, topic, events = json.loads(data)
        if origin != self._origin:
            for event in events:
                self._deliver(topic, event)

    def _deliver(self, topic: str, event: Event) -> None:
        for listener in self._listeners:
            listener(topic, event)
        _put(self._queues.get(topic, ()), event)

    def _everybody(self, event: Event) -> None:
        for queues in self._queues.values():
            _put(queues, event)


def _put(queues: Iterable[asyncio.Queue[Event]], event: Event) -> None:
    for queue in list(queues):
        if queue.full():
            with suppress(asyncio.QueueEmpty):
                while True:
                    queue.get_nowait()
            queue.put_nowait(SYNC)
        queue.put_nowait(event)
