"""Keys with which programs call the API: made once, shown once, bound to one tenant."""

from __future__ import annotations

import hmac
import math
import secrets
from collections.abc import Callable, Iterable
from enum import StrEnum
from hashlib import sha256

from handrail.accounts.limits import Allowed, Denied
from handrail.accounts.limits.rules import DAY
from handrail.errors import HandrailError
from handrail.records.access_tables import ApiKeyRow
from handrail.records.api_keys import ApiKeyRecords

PREFIX = "hrk_"


class Scope(StrEnum):
    ASK = "ask"
    """What a visitor may: questions, requests for a person, its own conversations."""
    METRICS = "metrics"
    OPERATOR = "operator"


class BadKey(HandrailError):
    """The key is not one of this tenant's, was revoked, or isn't for this."""


class ApiKeys:
    """Those of one tenant; `clock` returns seconds since the epoch."""

    def __init__(self, records: ApiKeyRecords, tenant: str, clock: Callable[[], float]) -> None:
        self._records = records
        self._tenant = tenant
        self._clock = clock

    async def create(self, name: str, scopes: Iterable[Scope], per_day: int = 0) -> tuple[ApiKeyRow, str]:
        """A new key, on record as a hash alone, and the key itself."""
        key_id = secrets.token_hex(6)
        key = f"{PREFIX}{key_id}_{secrets.token_hex(24)}"
        row = ApiKeyRow(
            tenant=self._tenant,
            id=key_id,
            name=name,
            key_hash=_hash(key),
            scopes=sorted({scope.value for scope in scopes}),
            per_day=per_day,
            used_day=0,
            used=0,
            created_at=self._clock(),
            revoked_at=None,
        )
        await self._records.add(row)
        return row, key

    async def check(self, key: str, scope: Scope) -> str:
        """The key's id. Raises BadKey and RecordsUnavailable."""
        row = await self._of(key)
        if row is None:
            raise BadKey("there is no such key")
        if row.revoked_at is not None or scope.value not in row.scopes:
            raise BadKey(f"the key {row.id} was revoked, or isn't for {scope.value}")
        return row.id

    async def made(self, key: str) -> bool:
        """Whether it is one of this tenant's, be it revoked. Raises RecordsUnavailable."""
        return await self._of(key) is not None

    async def _of(self, key: str) -> ApiKeyRow | None:
        row = await self._records.by_id(key.removeprefix(PREFIX).partition("_")[0])
        return row if row is not None and hmac.compare_digest(row.key_hash, _hash(key)) else None

    async def count(self, key_id: str) -> Allowed | Denied:
        """Count one question of the key's day. Raises RecordsUnavailable."""
        now = self._clock()
        if await self._records.count(key_id, int(now // DAY)):
            return Allowed()
        return Denied("key_day", max(1, math.ceil(DAY - now % DAY)))

    async def give_back(self, key_id: str) -> None:
        """A question that was counted was refused after all."""
        await self._records.give_back(key_id, int(self._clock() // DAY))


def is_key(token: str) -> bool:
    return token.startswith(PREFIX)


def _hash(key: str) -> str:
    return sha256(key.encode()).hexdigest()
