"""Lists of conversations: the queue, a visitor's own, and what was resolved before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, and_, case, func, or_, select

from handrail.desk.handoff.ownership import State
from handrail.records.desk_tables import ConversationRow, MessageRow
from handrail.records.repository import Repository

MOST_WAITS = 2000
WORTH_S = 7 * 86_400.0
"""How long a conversation that the assistant holds is worth a look."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which conversations to list; None is all."""

    states: Sequence[str] = ()
    label: str | None = None
    reason: str | None = None
    lang: str | None = None
    owner: str | None = None
    """A user's id, or `none`."""
    q: str | None = None
    worth_after: float | None = None
    """Only those that the assistant holds and a person should look at, with something new since that moment."""
    sort: str = "waiting"
    offset: int = 0
    limit: int = 50


class ConversationLists(Repository):
    """Read-only looks at one tenant's conversations."""

    async def page(self, wanted: Wanted) -> list[tuple[ConversationRow, int]]:
        """Conversations and how many messages of their visitor are unread; the longest waiting first."""
        query = self._matching(wanted)
        if wanted.worth_after is not None:
            pressing = ConversationRow.priority.desc()
            query = query.order_by(pressing, ConversationRow.updated_at.desc(), ConversationRow.id)
        elif wanted.sort == "waiting":
            waiting = case((ConversationRow.state == State.QUEUED.value, ConversationRow.queued_at))
            query = query.order_by(waiting.asc().nulls_last(), ConversationRow.updated_at.desc(), ConversationRow.id)
        else:
            query = query.order_by(ConversationRow.updated_at.desc(), ConversationRow.id)
        async with self._database.read_session() as session:
            rows = (await session.scalars(query.offset(wanted.offset).limit(wanted.limit))).all()
            ids = [row.id for row in rows if row.last_seq > row.agent_read_seq]
            unread: dict[str, int] = {}
            if ids:
                counted = await session.execute(self._unread_query(ids))
                unread = {row[0]: row[1] for row in counted}
            return [(row, unread.get(row.id, 0)) for row in rows]

    async def counts(self, user_id: str) -> dict[str, int]:
        """How many wait, are with a person, with this one, and are resolved."""
        query = select(ConversationRow.state, ConversationRow.owner, func.count()).where(
            ConversationRow.tenant == self._tenant
        )
        async with self._database.read_session() as session:
            rows = (await session.execute(query.group_by(ConversationRow.state, ConversationRow.owner))).all()
        by_state = dict.fromkeys(State, 0)
        mine = 0
        for state, owner, n in rows:
            by_state[State(state)] += n
            mine += n if owner == user_id and state == State.PERSON else 0
        return {
            "queued": by_state[State.QUEUED],
            "mine": mine,
            "person": by_state[State.PERSON],
            "resolved": by_state[State.RESOLVED],
        }

    async def worth(self, now: float) -> int:
        """How many the assistant holds that a person should look at."""
        query = self._matching(Wanted(worth_after=now - WORTH_S)).with_only_columns(func.count())
        async with self._database.read_session() as session:
            return int((await session.scalars(query)).one())

    async def latest(self) -> float:
        """When anything last happened in any conversation; 0 when there is none."""
        query = select(func.max(ConversationRow.updated_at)).where(ConversationRow.tenant == self._tenant)
        async with self._database.read_session() as session:
            return float((await session.scalars(query)).one() or 0.0)

    async def unread(self, conversation_id: str, after: int) -> int:
        """Messages of the visitor numbered above `after`."""
        query = select(func.count()).where(
            MessageRow.tenant == self._tenant,
            MessageRow.conversation_id == conversation_id,
            MessageRow.author == "visitor",
            MessageRow.seq > after,
        )
        async with self._database.read_session() as session:
            return int((await session.scalars(query)).one())

    async def of_visitor(self, visitor_id: str, limit: int = 50) -> Sequence[ConversationRow]:
        """A visitor's conversations, latest first."""
        query = self._rows(ConversationRow).where(ConversationRow.visitor_id == visitor_id)
        async with self._database.read_session() as session:
            return (await session.scalars(query.order_by(ConversationRow.updated_at.desc()).limit(limit))).all()

    async def resolved(self, limit: int = 500) -> Sequence[ConversationRow]:
        """The latest resolved conversations that a person had."""
        query = self._rows(ConversationRow).where(
            ConversationRow.state == State.RESOLVED.value, ConversationRow.generation > 0
        )
        async with self._database.read_session() as session:
            return (await session.scalars(query.order_by(ConversationRow.resolved_at.desc()).limit(limit))).all()

    async def since(self, moment: float) -> Sequence[tuple[float, float | None]]:
        """When each hand-over since `moment` was queued, and when it was first answered; None where it was not."""
        query = select(ConversationRow.queued_at, ConversationRow.first_response_at).where(
            ConversationRow.tenant == self._tenant, ConversationRow.queued_at >= moment
        )
        async with self._database.read_session() as session:
            rows = (await session.execute(query.order_by(ConversationRow.queued_at.desc()).limit(MOST_WAITS))).all()
        return [(queued, answered) for queued, answered in rows if queued is not None]

    def _matching(self, wanted: Wanted) -> Select[ConversationRow]:
        query = self._rows(ConversationRow)
        if wanted.states:
            query = query.where(ConversationRow.state.in_(wanted.states))
        for name in ("label", "reason", "lang"):
            value = getattr(wanted, name)
            if value is not None:
                query = query.where(getattr(ConversationRow, name) == value)
        if wanted.owner is not None:
            owner = None if wanted.owner == "none" else wanted.owner
            query = query.where(ConversationRow.owner == owner)
        if wanted.worth_after is not None:
            held = ConversationRow.state.in_((State.BOT.value, State.HANDED_BACK.value))
            query = query.where(
                held, ConversationRow.updated_at >= wanted.worth_after, ConversationRow.concern.is_not(None)
            )
        if wanted.q:
            query = query.where(self._holding(wanted.q))
        return query

    def _holding(self, words: str) -> Any:
        """Every word stands somewhere in the conversation."""
        return and_(*(self._holding_one(word) for word in words.split()[:8]))

    def _holding_one(self, word: str) -> Any:
        said = (
            select(MessageRow.seq)
            .where(
                MessageRow.tenant == self._tenant,
                MessageRow.conversation_id == ConversationRow.id,
                MessageRow.text.icontains(word, autoescape=True),
            )
            .exists()
        )
        fields = (ConversationRow.subject, ConversationRow.reference, ConversationRow.email)
        return or_(*(field.icontains(word, autoescape=True) for field in fields), said)

    def _unread_query(self, ids: Sequence[str]) -> Any:
        return (
            select(MessageRow.conversation_id, func.count())
            .join(
                ConversationRow,
                and_(ConversationRow.tenant == MessageRow.tenant, ConversationRow.id == MessageRow.conversation_id),
            )
            .where(
                MessageRow.tenant == self._tenant,
                MessageRow.conversation_id.in_(ids),
                MessageRow.author == "visitor",
                MessageRow.seq > ConversationRow.agent_read_seq,
            )
            .group_by(MessageRow.conversation_id)
        )
