"""What is wrong with a Redis, in words that say what to do and hold no secret."""

from __future__ import annotations

from urllib.parse import urlsplit

from redis import exceptions as redis

_SAYS: tuple[tuple[type[redis.RedisError], str], ...] = (
    (redis.AuthenticationError, "refuses the user or the password in limits.redis_url (REDIS_URL), or needs one"),
    (redis.NoPermissionError, "doesn't allow its user all commands. Give the user in limits.redis_url more rights"),
    (redis.AskError, "belongs to a cluster, and Handrail needs a single server"),
    (redis.ClusterDownError, "belongs to a cluster, and Handrail needs a single server"),
    (redis.ReadOnlyError, "is a replica that can only be read. Set limits.redis_url to the primary"),
    (redis.OutOfMemoryError, "has no memory left"),
    (redis.BusyLoadingError, "is still loading its data"),
    (redis.TimeoutError, "doesn't respond"),
    (redis.ConnectionError, "can't be reached"),
)
"""The first that fits; subclasses before those they derive from."""
UNKNOWN_COMMAND = "unknown command"


def trouble_of(error: BaseException) -> str | None:
    """The rest of a sentence that begins with the server; None where the server itself is well."""
    found = next((says for kind, says in _SAYS if isinstance(error, kind)), None)
    if found is None and isinstance(error, redis.ResponseError) and str(error).lower().startswith(UNKNOWN_COMMAND):
        return "doesn't know Redis' commands, as a Sentinel doesn't. Set limits.redis_url to the server itself"
    return "can't be reached" if found is None and isinstance(error, OSError) else found


def address_of(url: str) -> str:
    """Where the server is, without user and password."""
    parts = urlsplit(url)
    try:
        port = parts.port or 6379
    except ValueError:
        port = 6379
    return f"{parts.hostname}:{port}" if parts.hostname else parts.path
