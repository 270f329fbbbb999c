"""Letters in the database: written in somebody else's transaction, claimed by one process at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from sqlalchemy import Select, and_, func, or_
from sqlalchemy.ext.asyncio import AsyncSession

from handrail.desk.outbox import NewNotification, Notification
from handrail.records.desk_tables import MessageRow
from handrail.records.outbox_table import OutboxRow
from handrail.records.repository import Repository

LONGEST_ERROR = 500


class OutboxRecords(Repository):
    """Letters of one tenant."""

    def put(self, session: AsyncSession, notifications: Sequence[NewNotification], now: float) -> list[str]:
        """Write them in the caller's transaction, to go out exactly when its change is kept; returns their ids."""
        rows = [_row(self._tenant, notification, now) for notification in notifications]
        session.add_all(rows)
        return [row.id for row in rows]

    async def write(self, notifications: Sequence[NewNotification], now: float) -> list[str]:
        """The same, where the letter itself is the only change."""
        async with self._database.transaction() as session:
            return self.put(session, notifications, now)

    def messages_of(self, conversation_id: str) -> Select[MessageRow]:
        """What was said in a conversation, for letters about it; in no order yet."""
        return self._rows(MessageRow).where(MessageRow.conversation_id == conversation_id, MessageRow.kind == "message")

    async def claim(self, now: float, lease_s: float, limit: int) -> tuple[str, list[Notification]]:
        """Up to `limit` letters that are due, and the claim they are held by until the lease is over."""
        claim = uuid4().hex
        free = or_(OutboxRow.claimed_until.is_(None), OutboxRow.claimed_until <= now)
        due = (
            self._rows(OutboxRow)
            .where(OutboxRow.done_at.is_(None), OutboxRow.dead.is_(False), OutboxRow.next_at <= now, free)
            .order_by(OutboxRow.next_at)
            .limit(limit)
            .with_for_update(skip_locked=True)
        )
        async with self._database.transaction() as session:
            rows = (await session.scalars(due)).all()
            for row in rows:
                row.claim, row.claimed_until, row.attempts = claim, now + lease_s, row.attempts + 1
            return claim, [_notification(row) for row in rows]

    async def note(self, id_: str, claim: str, progress: Mapping[str, Any]) -> bool:
        """Keep what a try has achieved so far; False when the claim is no longer held."""
        return await self._settle(id_, claim, keep=True, progress=dict(progress))

    async def delivered(self, id_: str, claim: str, now: float) -> bool:
        return await self._settle(id_, claim, done_at=now, error=None)

    async def failed(self, id_: str, claim: str, error: str, next_at: float | None) -> bool:
        """Try again at `next_at`; None puts the letter aside as dead."""
        values: dict[str, Any] = {"dead": True} if next_at is None else {"next_at": next_at}
        return await self._settle(id_, claim, error=error[:LONGEST_ERROR], **values)

    async def retry(self, now: float, id_: str | None = None) -> int:
        """Dead letters (or the one) are due again, with all their tries; returns how many."""
        statement = self._change(OutboxRow).where(OutboxRow.dead.is_(True), OutboxRow.done_at.is_(None))
        if id_ is not None:
            statement = statement.where(OutboxRow.id == id_)
        async with self._database.transaction() as session:
            changed: Any = await session.execute(
                statement.values(dead=False, attempts=0, next_at=now, claim=None, claimed_until=None)
            )
            return int(changed.rowcount)

    async def list(self, state: str | None = None, limit: int = 100) -> list[Notification]:
        """Newest first; `state` is `waiting`, `dead` or `done`."""
        query = self._rows(OutboxRow)
        if state == "done":
            query = query.where(OutboxRow.done_at.is_not(None))
        elif state is not None:
            query = query.where(OutboxRow.done_at.is_(None), OutboxRow.dead.is_(state == "dead"))
        async with self._database.read_session() as session:
            rows = await session.scalars(query.order_by(OutboxRow.created_at.desc(), OutboxRow.id).limit(limit))
            return [_notification(row) for row in rows]

    async def undelivered(self) -> dict[str, int]:
        """How many are `waiting` for a try, and how many are `dead`."""
        query = self._rows(OutboxRow).where(OutboxRow.done_at.is_(None))
        counts = query.with_only_columns(OutboxRow.dead, func.count()).group_by(OutboxRow.dead)
        async with self._database.read_session() as session:
            found: dict[bool, int] = {row[0]: row[1] for row in await session.execute(counts)}
        return {"waiting": found.get(False, 0), "dead": found.get(True, 0)}

    async def purge(self, before: float) -> int:
        """Forget letters that were delivered before then; dead ones stay until somebody looks."""
        statement = self._remove(OutboxRow).where(and_(OutboxRow.done_at.is_not(None), OutboxRow.done_at < before))
        async with self._database.transaction() as session:
            gone: Any = await session.execute(statement)
            return int(gone.rowcount)

    async def _settle(self, id_: str, claim: str, *, keep: bool = False, **values: Any) -> bool:
        if not keep:
            values |= {"claim": None, "claimed_until": None}
        statement = self._change(OutboxRow).where(OutboxRow.id == id_, OutboxRow.claim == claim)
        async with self._database.transaction() as session:
            changed: Any = await session.execute(statement.values(**values))
            return bool(changed.rowcount)


def _row(tenant: str, notification: NewNotification, now: float) -> OutboxRow:
    return OutboxRow(
        tenant=tenant,
        id=uuid4().hex,
        channel=notification.channel,
        target=notification.target[:300],
        conversation_id=notification.conversation_id,
        payload=dict(notification.payload),
        progress={},
        attempts=0,
        next_at=now,
        dead=False,
        created_at=now,
    )


def _notification(row: OutboxRow) -> Notification:
    return Notification(
        id=row.id,
        tenant=row.tenant,
        channel=row.channel,
        target=row.target,
        payload=row.payload,
        attempts=row.attempts,
        created_at=row.created_at,
        progress=row.progress,
        next_at=row.next_at,
        done_at=row.done_at,
        dead=row.dead,
        error=row.error,
    )
