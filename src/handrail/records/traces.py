"""Traces of one tenant's turns: kept with their conversation, found by trace, turn or conversation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, select

from handrail.records.desk_tables import ConversationRow, EvidenceRow
from handrail.records.repository import Repository
from handrail.records.trace_table import TraceRow

Trace = dict[str, Any]
DAY_S = 86_400.0


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which traces; None is no condition."""

    routing: str | None = None
    kb: str | None = None
    conversation_id: str | None = None
    since: float | None = None
    limit: int = 50


class TraceRecords(Repository):
    async def save(self, trace: Trace) -> bool:
        """False where the conversation is not on record: nothing is kept that could not be erased with it."""
        row = TraceRow(
            tenant=self._tenant,
            trace_id=trace["trace_id"],
            turn_id=trace["turn_id"],
            conversation_id=trace["conversation_id"],
            kb=trace["kb"],
            routing=trace["outcome"]["routing"],
            trace=trace,
            at=trace["at"],
        )
        # Locked, so that a deletion of the conversation comes wholly before or wholly after.
        owner = self._rows(ConversationRow).where(ConversationRow.id == row.conversation_id)
        async with self._database.transaction() as session:
            if (await session.scalars(owner.with_for_update(read=True))).one_or_none() is None:
                return False
            await session.merge(row)
            return True

    async def find(self, id_: str) -> Trace | None:
        """By the id of the trace, else of its turn, else of a conversation, whose last turn it then is.

        In this order: the name of a conversation is the client's to choose.
        """
        for column in (TraceRow.trace_id, TraceRow.turn_id, TraceRow.conversation_id):
            found = await self._traces(self._rows(TraceRow).where(column == id_).order_by(TraceRow.at.desc()).limit(1))
            if found:
                return found[0]
        return None

    async def recent(self, wanted: Wanted) -> list[Trace]:
        """Newest first."""
        query = self._rows(TraceRow)
        for column, value in (
            (TraceRow.routing, wanted.routing),
            (TraceRow.kb, wanted.kb),
            (TraceRow.conversation_id, wanted.conversation_id),
        ):
            query = query if value is None else query.where(column == value)
        if wanted.since is not None:
            query = query.where(TraceRow.at >= wanted.since)
        return await self._traces(query.order_by(TraceRow.at.desc()).limit(wanted.limit))

    async def message(self, turn_id: str) -> str | None:
        """What the visitor wrote, as the conversation keeps it; None where it is gone."""
        query = self._rows(EvidenceRow).where(EvidenceRow.turn_id == turn_id)
        async with self._database.read_session() as session:
            row = (await session.scalars(query)).one_or_none()
            return row.question if row else None

    async def turns(self, conversation_id: str) -> set[str]:
        """Ids of the conversation's turns that have a trace."""
        query = select(TraceRow.turn_id).where(
            TraceRow.tenant == self._tenant, TraceRow.conversation_id == conversation_id
        )
        async with self._database.read_session() as session:
            return set(await session.scalars(query))

    async def forget(self, days: int, now: float) -> int:
        """Delete traces older than `days`, all of them with 0; how many."""
        old = self._remove(TraceRow).where(TraceRow.at < now - days * DAY_S)
        async with self._database.transaction() as session:
            return len((await session.execute(old.returning(TraceRow.trace_id))).all())

    async def _traces(self, query: Select[Any]) -> list[Trace]:
        async with self._database.read_session() as session:
            rows: Sequence[TraceRow] = (await session.scalars(query)).all()
            return [row.trace for row in rows]
