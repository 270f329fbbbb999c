"""Limits and budgets of a day, where no Redis counts them: checked and added in one step, and there after a restart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from handrail.errors import PermanentError
from handrail.records.access_tables import DailyCountRow
from handrail.records.repository import Repository, insert_into

Row = DailyCountRow


@dataclass(frozen=True, slots=True)
class Bound:
    """At most `limit` for `who` within `scope`, used and held together."""

    scope: str
    who: str
    limit: int


class Full(PermanentError):
    """A bound is reached, and nothing was added: `used_up`, or only held by turns under way."""

    def __init__(self, bound: Bound, *, used_up: bool) -> None:
        super().__init__(f"no more today: {bound.scope}")
        self.bound = bound
        self.used_up = used_up


class DailyCounts(Repository):
    """Those of one tenant; a day is its number since the epoch."""

    async def use(self, day: int, bounds: Sequence[Bound]) -> None:
        """Use one of every bound, or of none. Raises Full and RecordsUnavailable."""
        await self._add(day, dict.fromkeys(bounds, 1), "used")

    async def hold(self, day: int, needs: Mapping[Bound, int]) -> None:
        """Hold what is needed of every bound, or of none. Raises Full and RecordsUnavailable."""
        await self._add(day, needs, "held")

    async def give_back(self, day: int, bounds: Sequence[Bound]) -> None:
        """One of every bound was not used after all."""
        await self._move(day, dict.fromkeys(bounds, (-1, 0)))

    async def settle(self, day: int, taken: Mapping[Bound, tuple[int, int]]) -> None:
        """Of every bound, what was used in place of what was held."""
        await self._move(day, {bound: (used, -held) for bound, (used, held) in taken.items()})

    async def forget(self, before: int) -> int:
        """Delete the counts of earlier days; how many."""
        async with self._database.transaction() as session:
            gone: Any = await session.execute(self._remove(Row).where(Row.day < before))
            return int(gone.rowcount)

    async def _add(self, day: int, needs: Mapping[Bound, int], column: str) -> None:
        """Each row is raised by a statement that also checks it, and stays locked until the transaction is over.

        All callers lock in one order, so that none waits for another that waits for it.
        """
        async with self._database.transaction() as session:
            for bound, need in _in_order(needs):
                key = {"day": day, "scope": bound.scope, "who": bound.who}
                first = insert_into(session, Row).values(tenant=self._tenant, **key, used=0, held=0)
                await session.execute(first.on_conflict_do_nothing())
                changed: Any = await session.execute(
                    self._change(Row)
                    .filter_by(**key)
                    .where(Row.used + Row.held + need <= bound.limit)
                    .values({column: getattr(Row, column) + need})
                )
                if not changed.rowcount:
                    raise Full(bound, used_up=await self._used(session, key) + need > bound.limit)

    async def _used(self, session: AsyncSession, key: Mapping[str, Any]) -> int:
        row = (await session.scalars(self._rows(Row).filter_by(**key))).one()
        return row.used

    async def _move(self, day: int, deltas: Mapping[Bound, tuple[int, int]]) -> None:
        async with self._database.transaction() as session:
            for bound, (used, held) in _in_order(deltas):
                await session.execute(
                    self._change(Row)
                    .filter_by(day=day, scope=bound.scope, who=bound.who)
                    .values(used=Row.used + used, held=Row.held + held)
                )


def _in_order(of: Mapping[Bound, Any]) -> list[tuple[Bound, Any]]:
    return sorted(of.items(), key=lambda item: (item[0].scope, item[0].who))
