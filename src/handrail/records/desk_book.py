"""What colleagues write for each other: notes and canned replies, and the audit of what they did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from handrail.records.desk_tables import AuditRow, CannedRow, NoteRow
from handrail.records.repository import Repository


class DeskBook(Repository):
    """Notes, canned replies and audit of one tenant."""

    async def add_note(self, note_id: str, conversation_id: str, user_id: str, text: str, now: float) -> NoteRow:
        """Sent again under the same id, it is the same note."""
        async with self._database.transaction() as session:
            found = (await session.scalars(self._rows(NoteRow).where(NoteRow.id == note_id))).first()
            if found is not None:
                return found
            note = NoteRow(
                tenant=self._tenant, id=note_id, conversation_id=conversation_id, user_id=user_id, text=text, at=now
            )
            session.add(note)
            return note

    async def notes(self, conversation_id: str) -> Sequence[NoteRow]:
        query = self._rows(NoteRow).where(NoteRow.conversation_id == conversation_id).order_by(NoteRow.at)
        async with self._database.read_session() as session:
            return (await session.scalars(query)).all()

    async def canned(self) -> Sequence[CannedRow]:
        async with self._database.read_session() as session:
            return (await session.scalars(self._rows(CannedRow).order_by(CannedRow.title))).all()

    async def save_canned(self, title: str, text: str, canned_id: str | None = None) -> CannedRow | None:
        """A new reply, or another wording of an old one; None when that is not there."""
        async with self._database.transaction() as session:
            if canned_id is None:
                row = CannedRow(tenant=self._tenant, id=uuid4().hex, title=title, text=text)
                session.add(row)
                return row
            found = (await session.scalars(self._rows(CannedRow).where(CannedRow.id == canned_id))).first()
            if found is not None:
                found.title, found.text = title, text
            return found

    async def drop_canned(self, canned_id: str) -> None:
        async with self._database.transaction() as session:
            await session.execute(self._remove(CannedRow).where(CannedRow.id == canned_id))

    async def log(
        self,
        action: str,
        now: float,
        *,
        user_id: str | None = None,
        target: str | None = None,
        detail: dict[str, Any] | None = None,
    ) -> None:
        """Remember who did what."""
        async with self._database.transaction() as session:
            session.add(
                AuditRow(
                    tenant=self._tenant,
                    id=uuid4().hex,
                    user_id=user_id,
                    action=action,
                    target=target,
                    detail=detail,
                    at=now,
                )
            )

    async def audit(
        self, *, action: str | None = None, since: float = 0.0, before: float | None = None, limit: int = 200
    ) -> Sequence[AuditRow]:
        """The latest entries, newest first."""
        query = self._rows(AuditRow).where(AuditRow.at >= since)
        if before is not None:
            query = query.where(AuditRow.at < before)
        if action is not None:
            query = query.where(AuditRow.action == action)
        async with self._database.read_session() as session:
            return (await session.scalars(query.order_by(AuditRow.at.desc(), AuditRow.id).limit(limit))).all()
