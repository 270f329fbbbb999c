"""Which visitor tokens have been exchanged: at most once each, whichever process is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from handrail.records.access_tables import VisitorTokenRow
from handrail.records.repository import Repository, insert_into


@dataclass(frozen=True, slots=True)
class Exchanged:
    """The generation that counts now, and since when (seconds since the epoch)."""

    generation: int
    at: float


class VisitorTokenRecords(Repository):
    async def exchange(self, visitor: str, generation: int, now: float) -> Exchanged:
        """Replace a token by one of the next generation, unless it has been; the latest exchange, whoever made it.

        `visitor` is a hash of the visitor's id. Of many at once one is written, and all get that one.
        """
        after = {"generation": generation + 1, "exchanged_at": now}
        row = VisitorTokenRow
        async with self._database.transaction() as session:
            first = insert_into(session, row).values(tenant=self._tenant, visitor=visitor, **after)
            await session.execute(first.on_conflict_do_nothing())
            await session.execute(
                self._change(row).where(row.visitor == visitor, row.generation <= generation).values(**after)
            )
            found = (await session.scalars(self._rows(row).where(row.visitor == visitor))).one()
            return Exchanged(found.generation, found.exchanged_at)

    async def since(self, moment: float) -> dict[str, Exchanged]:
        """The latest exchange of every visitor who made one at or after `moment`."""
        async with self._database.read_session() as session:
            rows = await session.scalars(self._rows(VisitorTokenRow).where(VisitorTokenRow.exchanged_at >= moment))
            return {row.visitor: Exchanged(row.generation, row.exchanged_at) for row in rows}

    async def forget(self, before: float) -> int:
        """Delete exchanges made before that moment; how many."""
        async with self._database.transaction() as session:
            gone: Any = await session.execute(
                self._remove(VisitorTokenRow).where(VisitorTokenRow.exchanged_at < before)
            )
            return int(gone.rowcount)
