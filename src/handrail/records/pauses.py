"""Whether the assistant is paused for all visitors of a tenant."""

from __future__ import annotations

from typing import Any

from handrail.records.desk_tables import PauseRow
from handrail.records.repository import Repository, insert_into


class Pauses(Repository):
    """At most one pause of one tenant, which holds in all processes from the moment it is committed."""

    async def current(self) -> PauseRow | None:
        """None while the assistant answers. Raises RecordsUnavailable."""
        async with self._database.read_session() as session:
            return (await session.scalars(self._rows(PauseRow))).first()

    async def begin(self, now: float, user_id: str | None = None) -> bool:
        """Whether it wasn't paused before; an earlier pause stays as it is. No user is the command line."""
        async with self._database.transaction() as session:
            new = insert_into(session, PauseRow).values(tenant=self._tenant, since=now, user_id=user_id)
            made: Any = await session.execute(new.on_conflict_do_nothing())
            return bool(made.rowcount)

    async def end(self) -> bool:
        """Whether it was paused."""
        async with self._database.transaction() as session:
            gone: Any = await session.execute(self._remove(PauseRow))
            return bool(gone.rowcount)
