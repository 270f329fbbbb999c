"""Connections to Redis, or any server that speaks its protocol, that never hold a visitor up for long."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any, TypeVar

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.connection import AbstractConnection
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError, ResponseError, TimeoutError

from handrail.accounts.redis_trouble import address_of, trouble_of
from handrail.errors import SettingsError
from handrail.observe.notice import Notice
from handrail.records.silence import Silence

log = logging.getLogger("handrail.redis")

T = TypeVar("T")

CONNECTIONS = 32
LINE_S = 2.0
LOOK_S = 3.0
"""Whoever asks how a server does is told within it."""
SILENCE: Mapping[str, Any] = {"socket_timeout": 1.0, "socket_connect_timeout": 1.0}
CONSEQUENCE = "each process goes on by itself, and a demo or public server takes no questions"


_inside: ContextVar[bool] = ContextVar("handrail_redis_inside", default=False)
"""Whether a command is being tried or a connection taken: what succeeds on the way there says nothing of the server."""


class Health:
    """How one server does, as all clients of this process know it; said once in the log, as is that it works again.

    Otherwise each command of each turn would wait its own second for a frozen server.
    """

    def __init__(self, server: str, silence: Silence) -> None:
        self._silence = silence
        self._server = f"Redis at {server}"
        self._notice = Notice(log, self._server)
        self._refused: set[str] = set()

    def check(self) -> None:
        """Raises TimeoutError while it is silent and somebody else has just tried."""
        if not self._silence.may_try():
            raise TimeoutError("Redis didn't respond a moment ago")

    def failed(self, error: Exception) -> None:
        if isinstance(error, TimeoutError):
            self._silence.waited_in_vain()
        trouble = trouble_of(error)
        if isinstance(error, ResponseError):  # others of its commands may work, so that says nothing of recovery
            if trouble is not None and trouble not in self._refused:
                self._refused.add(trouble)
                log.warning("%s %s; %s.", self._server, trouble, CONSEQUENCE)
        elif trouble is not None:
            self._notice.failed(trouble, CONSEQUENCE)

    def worked(self) -> None:
        self._silence.answered()
        self._notice.worked()


class Watched(Retry):
    """Tries a second time, and tells how it went."""

    def __init__(self, health: Health) -> None:
        super().__init__(NoBackoff(), 1)
        self._health = health

    def __deepcopy__(self, _memo: Any) -> Watched:
        """Each connection would have a copy that knows nothing of the others."""
        return self

    async def call_with_retry(
        self, do: Callable[[], Awaitable[T]], fail: Any, is_retryable: Any = None, with_failure_count: bool = False
    ) -> T:
        outermost = not _inside.get()
        try:
            with _going_in():
                result: T = await super().call_with_retry(do, fail, is_retryable, with_failure_count)
        except (RedisError, OSError) as error:
            self._health.failed(error)
            raise
        if outermost and result is not None:  # a subscription that hears nothing has not been answered
            self._health.worked()
        return result


class Pool(BlockingConnectionPool):
    """Asks how the server does before it gives a connection away."""

    health: Health

    async def get_connection(self, *args: Any, **options: Any) -> AbstractConnection:
        self.health.check()
        with _going_in():
            connection: AbstractConnection = await super().get_connection(*args, **options)  # type: ignore[no-untyped-call]
            return connection


@contextmanager
def _going_in() -> Iterator[None]:
    token = _inside.set(True)
    try:
        yield
    finally:
        _inside.reset(token)


@cache
def _health_of(server: str) -> Health:
    return Health(server, Silence())


def connect(url: str, connections: int = CONNECTIONS) -> Redis:
    """A client that gives up within about two seconds, and at once where others have just waited in vain.

    Where all `connections` are in use, more wait in line for up to `LINE_S` seconds: a burst is not an outage.
    Raises SettingsError for a URL that is none.
    """
    health = _health_of(address_of(url))
    with _known_url():
        pool = Pool.from_url(url, max_connections=connections, timeout=LINE_S, retry=Watched(health), **SILENCE)
    pool.health = health
    return Redis.from_pool(pool)


async def look_at(url: str, key: str) -> str | None:
    """What is wrong with a server, as `trouble_of` says it, after writing a key that expires; None if all is well.

    Raises SettingsError for a URL that is none.
    """
    with _known_url():
        redis = Redis.from_url(url, retry=Retry(NoBackoff(), 0), **SILENCE)
    try:
        async with asyncio.timeout(LOOK_S):
            await redis.set(key, "", px=1000)
            await redis.get(key)
    except (RedisError, OSError) as error:
        return trouble_of(error) or "fails"
    finally:
        await redis.aclose()
    return None


@contextmanager
def _known_url() -> Iterator[None]:
    try:
        yield
    except ValueError:  # quotes what stands where a port should, such as half a password
        raise SettingsError(
            "limits.redis_url (REDIS_URL) isn't a URL. Write redis://host:6379/0 or rediss://…, with %-escapes for "
            "signs such as / and @ in the password"
        ) from None
