"""What Redis holds of conversations that were deleted: the assistant's memory, and the events of their turns."""

from __future__ import annotations

import time
from collections.abc import Sequence

from redis.exceptions import RedisError

from handrail.accounts.keyspace import keyspace_of
from handrail.accounts.redis_client import connect
from handrail.assembly.memory import build_memory
from handrail.conversation.streams.shared import SharedStreams
from handrail.settings import Settings


async def forget_shared(settings: Settings, conversation_ids: Sequence[str], turn_ids: Sequence[str]) -> bool:
    """Drop it at once, for all processes; False when nothing is shared, or Redis is away."""
    url, memory = settings.limits.redis_url, build_memory(settings, len, time.time)
    if url is None:
        return False
    redis = connect(url)
    try:
        await redis.ping()
        if memory is not None:
            for conversation_id in conversation_ids:
                await memory.forget(conversation_id)
        await SharedStreams(redis, keyspace_of(settings), settings.stream.resume_s).forget(turn_ids)
    except (RedisError, OSError):
        return False
    finally:
        await redis.aclose()
        if memory is not None:
            await memory.aclose()
    return True
