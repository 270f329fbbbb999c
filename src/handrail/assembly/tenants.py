"""A company is removed with all that is kept of it, wherever that is."""

from __future__ import annotations

import asyncio

from redis.exceptions import RedisError

from handrail.accounts.keyspace import keyspace_of
from handrail.accounts.redis_client import connect
from handrail.accounts.tenants import Tenants
from handrail.assembly.servers import clear
from handrail.errors import HandrailError
from handrail.records.database import open_database
from handrail.records.erase import erase_tenant
from handrail.settings import Settings
from handrail.settings.load import of_tenant

UNTIL_SEEN_S = 5.0
"""In which every process has seen that a tenant is suspended, and no longer writes anything of its."""


async def erase(settings: Settings, name: str) -> None:
    """Suspended first, so that nothing new is written. Raises NoSuchTenant, and HandrailError where something is away.

    It can be called again after an error: the folder goes last.
    """
    tenants = Tenants(settings.storage.data_dir)
    tenants.suspend(name)
    theirs = of_tenant(settings, name)
    await asyncio.sleep(UNTIL_SEEN_S)
    if theirs.storage.database_url:
        database = await open_database(theirs.storage)
        try:
            await erase_tenant(database)
        finally:
            await database.close()
    if theirs.limits.redis_url:
        await _forget(theirs.limits.redis_url, keyspace_of(theirs).prefix)
    await asyncio.to_thread(clear, theirs.storage)
    await asyncio.to_thread(tenants.remove, name)


async def _forget(url: str, prefix: str) -> None:
    redis = connect(url)
    try:
        async for key in redis.scan_iter(match=f"{prefix}*", count=1000):
            await redis.delete(key)
    except (RedisError, OSError) as error:
        raise HandrailError(f"Redis doesn't respond ({type(error).__name__}); try again") from error
    finally:
        await redis.aclose()
