"""One-time codes of the desk's users: each is taken once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from handrail.records.access_tables import SecondFactorRow
from handrail.records.repository import Repository, insert_into


class SecondFactorRecords(Repository):
    async def of(self, user_id: str) -> SecondFactorRow | None:
        query = self._rows(SecondFactorRow).where(SecondFactorRow.user_id == user_id)
        async with self._database.read_session() as session:
            return (await session.scalars(query)).first()

    async def begin(self, user_id: str, secret: str) -> bool:
        """Write a secret that is still to be confirmed; False where one is active."""
        new = {"secret": secret, "active": False, "last_step": 0, "recovery": []}
        async with self._database.transaction() as session:
            first = insert_into(session, SecondFactorRow).values(tenant=self._tenant, user_id=user_id, **new)
            await session.execute(first.on_conflict_do_nothing())
        return await self._changed((SecondFactorRow.user_id == user_id) & ~SecondFactorRow.active, **new)

    async def activate(self, user_id: str, secret: str, step: int, recovery: Sequence[str]) -> bool:
        """From now on it is asked for; False where the secret is another by now, or active already."""
        row = SecondFactorRow
        new = (row.user_id == user_id) & (row.secret == secret) & ~row.active
        return await self._changed(new, active=True, last_step=step, recovery=list(recovery))

    async def use_step(self, user_id: str, step: int) -> bool:
        """Whether no code of this step, or a later one, was taken before."""
        row = SecondFactorRow
        return await self._changed((row.user_id == user_id) & row.active & (row.last_step < step), last_step=step)

    async def use_recovery(self, user_id: str, code: str) -> bool:
        """Whether the hash was one of a code that is left; then it no longer is."""
        async with self._database.transaction() as session:
            query = self._rows(SecondFactorRow).where(SecondFactorRow.user_id == user_id).with_for_update()
            row = (await session.scalars(query)).first()
            if row is None or not row.active or code not in row.recovery:
                return False
            row.recovery = [left for left in row.recovery if left != code]
            return True

    async def drop(self, user_id: str) -> bool:
        """Whether there was one."""
        async with self._database.transaction() as session:
            gone: Any = await session.execute(self._remove(SecondFactorRow).where(SecondFactorRow.user_id == user_id))
            return bool(gone.rowcount)

    async def _changed(self, condition: Any, **values: Any) -> bool:
        async with self._database.transaction() as session:
            done: Any = await session.execute(self._change(SecondFactorRow).where(condition).values(**values))
            return bool(done.rowcount)
