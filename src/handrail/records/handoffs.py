"""Requests for a person in the database."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from handrail.desk.handoff import Handoff, HandoffRequest, Line, Receipt
from handrail.desk.handoff.desk import ReferenceTaken
from handrail.records.database import Database
from handrail.records.tables import HandoffRow


class HandoffRecords:
    """Requests of one tenant."""

    def __init__(self, database: Database, tenant: str) -> None:
        self._database = database
        self._tenant = tenant

    async def save(self, request: HandoffRequest, reference: str, now: float) -> Receipt:
        """A new record, or the conversation's own with the request added. Raises ReferenceTaken."""
        try:
            async with self._database.transaction() as session:
                row = await self._of_conversation(session, request.conversation_id)
                created = row is None
                if row is None:
                    row = self._new_row(request, reference, now)
                    session.add(row)
                else:
                    _add(row, request, now)
                await session.flush()
                return Receipt(_handoff(row), created)
        except IntegrityError:
            # Either the reference or the conversation was taken meanwhile; a second look tells which.
            raise ReferenceTaken(reference) from None

    async def find(self, reference: str) -> Handoff | None:
        async with self._database.transaction() as session:
            row = await session.get(HandoffRow, (self._tenant, reference))
            return _handoff(row) if row else None

    async def claimed(self, conversation_id: str) -> tuple[Line, ...]:
        """What the client said of the past when it asked for a person; empty where we had it on record ourselves."""
        async with self._database.read_session() as session:
            query = select(HandoffRow).where(
                HandoffRow.tenant == self._tenant, HandoffRow.conversation_id == conversation_id
            )
            row = (await session.scalars(query)).one_or_none()
            return _claimed(row) if row else ()

    async def _of_conversation(self, session: AsyncSession, conversation_id: str | None) -> HandoffRow | None:
        if conversation_id is None:
            return None
        query = select(HandoffRow).where(
            HandoffRow.tenant == self._tenant, HandoffRow.conversation_id == conversation_id
        )
        return (await session.scalars(query.with_for_update())).one_or_none()

    def _new_row(self, request: HandoffRequest, reference: str, now: float) -> HandoffRow:
        return HandoffRow(
            tenant=self._tenant,
            reference=reference,
            conversation_id=request.conversation_id,
            turn_id=request.turn_id,
            reason=request.reason,
            email=request.email,
            earlier_emails=[],
            message=request.message,
            transcript=_lines(request),
            created_at=now,
            updated_at=now,
        )


def _add(row: HandoffRow, request: HandoffRequest, now: float) -> None:
    """Nothing given before is lost, and a request sent twice adds nothing."""
    if request.email and request.email != row.email:
        if row.email:
            row.earlier_emails = [*row.earlier_emails, row.email]
        row.email = request.email
    if request.message and request.message not in (row.message or ""):
        row.message = f"{row.message}\n\n{request.message}" if row.message else request.message
    if len(request.claimed) >= len(row.transcript):
        row.transcript = _lines(request)
    row.reason = row.reason or request.reason
    row.turn_id = request.turn_id or row.turn_id
    row.updated_at = now


def _lines(request: HandoffRequest) -> list[dict[str, str]]:
    return [{"author": line.author, "text": line.text} for line in request.claimed]


def _claimed(row: HandoffRow) -> tuple[Line, ...]:
    return tuple(
        Line("visitor" if line["author"] == "visitor" else "assistant", line["text"]) for line in row.transcript
    )


def _handoff(row: HandoffRow) -> Handoff:
    return Handoff(
        reference=row.reference,
        conversation_id=row.conversation_id,
        turn_id=row.turn_id,
        reason=row.reason,
        email=row.email,
        earlier_emails=tuple(row.earlier_emails),
        message=row.message,
        claimed=_claimed(row),
        created_at=row.created_at,
        updated_at=row.updated_at,
    )
