"""Everything on record about one visitor, to hand out or to delete; and what has been kept long enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from handrail.records.desk_tables import (
    AuditRow,
    ConversationRow,
    EvidenceRow,
    FeedbackRow,
    MessageRow,
    NoteRow,
    UnansweredRow,
)
from handrail.records.digests import digest
from handrail.records.learning_tables import (
    NO_CONVERSATION,
    ArticleDraftRow,
    EvalCaseRow,
    GradingRow,
    QuestionVectorRow,
    TurnFactRow,
)
from handrail.records.mail_tables import MailConfirmationRow, MailCountRow
from handrail.records.outbox_table import OutboxRow
from handrail.records.repository import Repository
from handrail.records.tables import HandoffRow, TurnRow
from handrail.records.trace_table import TraceRow

DAY_S = 86_400.0
OVER_S = 3600.0
"""A conversation in which nobody has written for so long is over."""

OF_CONVERSATION: tuple[type[Any], ...] = (
    MessageRow, EvidenceRow, UnansweredRow, FeedbackRow, NoteRow, HandoffRow, TurnRow, EvalCaseRow, ArticleDraftRow,
    OutboxRow, MailConfirmationRow, TraceRow, GradingRow,
)  # fmt: skip
"""Tables whose rows go with their conversation."""
"""Written in place of a conversation that is gone, where its figures stay: they hold no word and no name."""
GONE = "deleted"
"""Written in place of a visitor's id or address in the audit."""
AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class Gone:
    """Ids of what was deleted, for whoever keeps something of it elsewhere."""

    conversations: Sequence[str]
    turns: Sequence[str]


class VisitorRecords(Repository):
    """Visitors of one tenant: known by their id, or by the e-mail address they left in any conversation."""

    async def export(self, visitor: str) -> list[dict[str, Any]]:
        """Every conversation of a visitor with all that hangs on it, JSON-ready; empty for an unknown one."""
        async with self._database.read_session() as session:
            rows = await self._conversations(session, visitor)
            exported: dict[str, dict[str, Any]] = {
                row.id: {"conversation": _plain(row), **{table.__tablename__: [] for table in OF_CONVERSATION}}
                for row in rows
            }
            ids = list(exported)
            for first in range(0, len(ids), AT_ONCE):
                some = ids[first : first + AT_ONCE]
                for table in OF_CONVERSATION:
                    for found in await session.scalars(self._rows(table).where(table.conversation_id.in_(some))):
                        exported[found.conversation_id][table.__tablename__].append(_plain(found))
            return list(exported.values())

    async def delete(self, visitor: str) -> Gone:
        """Delete a visitor's conversations and all that hangs on them."""
        async with self._database.transaction() as session:
            rows = await self._conversations(session, visitor)
            ids = [row.id for row in rows]
            turns = select(EvidenceRow.turn_id).where(
                EvidenceRow.tenant == self._tenant, EvidenceRow.conversation_id.in_(ids)
            )
            gone = Gone(ids, list(await session.scalars(turns)))
            names = {visitor, *(name for row in rows for name in (row.visitor_id, row.email) if name)}
            await self._drop(session, ids)
            await session.execute(self._remove(HandoffRow).where(HandoffRow.email.in_(names)))
            await session.execute(self._remove(OutboxRow).where(OutboxRow.target.in_(names)))
            await session.execute(self._change(AuditRow).where(AuditRow.target.in_(names)).values(target=GONE))
            return gone

    async def forget(self, days: int, now: float) -> int:
        """Delete conversations last written in more than `days` ago; how many.

        With 0 they go as soon as they are over: nobody has written for an hour, and no person is asked for or there.
        With them go audit entries, undelivered letters and embeddings of questions as old.
        """
        oldest = now - (days * DAY_S or OVER_S)
        old = self._rows(ConversationRow).where(ConversationRow.updated_at < oldest)
        query = (old if days else old.where(ConversationRow.state.not_in(("queued", "person")))).limit(AT_ONCE)
        gone = 0
        while True:
            async with self._database.transaction() as session:
                ids = [row.id for row in (await session.scalars(query)).all()]
                await self._drop(session, ids)
                gone += len(ids)
                if len(ids) < AT_ONCE:
                    await session.execute(self._remove(HandoffRow).where(HandoffRow.updated_at < oldest))
                    await session.execute(self._remove(AuditRow).where(AuditRow.at < oldest))
                    await session.execute(self._remove(OutboxRow).where(OutboxRow.created_at < oldest))
                    await session.execute(self._remove(QuestionVectorRow).where(QuestionVectorRow.used_at < oldest))
                    await session.execute(self._remove(MailCountRow).where(MailCountRow.day < int(now // DAY_S)))
                    return gone

    async def _conversations(self, session: AsyncSession, visitor: str) -> Sequence[ConversationRow]:
        left_it = select(ConversationRow.visitor_id).where(
            ConversationRow.tenant == self._tenant, ConversationRow.email == visitor
        )
        query = self._rows(ConversationRow).where(
            or_(
                ConversationRow.visitor_id == visitor,
                ConversationRow.email == visitor,
                ConversationRow.visitor_id.in_(left_it),
            )
        )
        return (await session.scalars(query.order_by(ConversationRow.created_at))).all()

    async def _drop(self, session: AsyncSession, ids: Sequence[str]) -> None:
        if not ids:
            return
        asked = select(EvidenceRow.question).where(
            EvidenceRow.tenant == self._tenant, EvidenceRow.conversation_id.in_(ids)
        )
        digests = {digest(question) for question in await session.scalars(asked)}
        await session.execute(self._remove(QuestionVectorRow).where(QuestionVectorRow.digest.in_(digests)))
        facts = self._change(TurnFactRow).where(TurnFactRow.conversation_id.in_(ids))
        await session.execute(facts.values(conversation_id=NO_CONVERSATION))
        # First, so that what is being written beside it is written before it or not at all.
        await session.execute(self._remove(ConversationRow).where(ConversationRow.id.in_(ids)))
        for table in OF_CONVERSATION:
            await session.execute(self._remove(table).where(table.conversation_id.in_(ids)))


def _plain(row: Any) -> dict[str, Any]:
    return {column.name: getattr(row, column.name) for column in row.__table__.columns if column.name != "tenant"}
