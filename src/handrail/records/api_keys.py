"""Keys of programs, and how many questions each has asked today."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import case, or_

from handrail.records.access_tables import ApiKeyRow
from handrail.records.repository import Repository


class ApiKeyRecords(Repository):
    async def add(self, row: ApiKeyRow) -> None:
        async with self._database.transaction() as session:
            session.add(row)

    async def all(self) -> Sequence[ApiKeyRow]:
        """The oldest first."""
        async with self._database.read_session() as session:
            return (await session.scalars(self._rows(ApiKeyRow).order_by(ApiKeyRow.created_at, ApiKeyRow.id))).all()

    async def by_id(self, key_id: str) -> ApiKeyRow | None:
        async with self._database.read_session() as session:
            return (await session.scalars(self._rows(ApiKeyRow).where(ApiKeyRow.id == key_id))).first()

    async def revoke(self, key_id: str, now: float) -> bool:
        """Whether there was a key to revoke."""
        return await self._changed(key_id, ApiKeyRow.revoked_at.is_(None), revoked_at=now)

    async def count(self, key_id: str, day: int) -> bool:
        """Count a question; False where the day's are used up. Checked and counted in one statement."""
        today = ApiKeyRow.used_day == day
        free = or_(ApiKeyRow.per_day == 0, ~today, ApiKeyRow.used < ApiKeyRow.per_day)
        return await self._changed(key_id, free, used_day=day, used=case((today, ApiKeyRow.used + 1), else_=1))

    async def give_back(self, key_id: str, day: int) -> None:
        """It was none that should count."""
        await self._changed(key_id, (ApiKeyRow.used_day == day) & (ApiKeyRow.used > 0), used=ApiKeyRow.used - 1)

    async def _changed(self, key_id: str, condition: Any, **values: Any) -> bool:
        async with self._database.transaction() as session:
            done: Any = await session.execute(
                self._change(ApiKeyRow).where(ApiKeyRow.id == key_id, condition).values(**values)
            )
            return bool(done.rowcount)
