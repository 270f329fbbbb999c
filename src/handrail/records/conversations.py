"""Conversations and their messages: every change is one transaction, and a message is accepted once it is over."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from handrail.desk.handoff.concern import FAILED, Concern, Concerns
from handrail.desk.handoff.ownership import Action, Ownership, State, step
from handrail.errors import PermanentError
from handrail.records.conversation_rows import SUBJECT_CHARS, marks_of, message_row, new_row
from handrail.records.database import Database
from handrail.records.desk_tables import ConversationRow, MessageRow, UnansweredRow
from handrail.records.repository import Repository
from handrail.text.markdown import gist
from handrail.types import Label

VISITOR_REQUEST = "visitor_request"
"""The reason of whoever just asks for a person."""
GRAVE = Label.HIGH_STAKES.value
LAST_CHARS = 200

Hook = Callable[[AsyncSession, ConversationRow, Action], Awaitable[None]]
"""Runs inside the transaction of a change of ownership: what it writes is kept exactly when the change is."""


Noticed = Callable[[AsyncSession, ConversationRow], Awaitable[None]]
"""Runs inside the transaction in which a conversation became more pressing than it was."""


class Foreign(PermanentError):
    """The conversation belongs to another visitor; callers say that there is none."""


class Unknown(PermanentError):
    """There is no such conversation."""


class Stale(PermanentError):
    """Somebody else was quicker: `current` is how it is now."""

    def __init__(self, current: ConversationRow) -> None:
        super().__init__("the conversation has changed hands meanwhile")
        self.current = current


@dataclass(frozen=True, slots=True)
class NewMessage:
    """A message before it has its place; `id` is its sender's, so that sent again it is the same one."""

    id: str
    author: str
    text: str
    kind: str = "message"
    user_id: str | None = None
    name: str | None = None
    turn_id: str | None = None
    meta: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Said:
    """A conversation after something was written, and what is new in it."""

    row: ConversationRow
    added: Sequence[MessageRow] = ()
    tell: bool = False
    """The visitor has not been told yet what this hand-over means."""
    moved: bool = False
    """State or owner have changed."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Which conversation is meant, and who it is that writes in it."""

    conversation_id: str
    visitor_id: str | None = None
    lang: str = "en"
    known: Mapping[str, Any] = field(default_factory=dict)
    """What is known of the visitor as of now, JSON-ready; what it does not name stays as it was."""


@dataclass(frozen=True, slots=True)
class Request:
    """A visitor's wish for a person."""

    reference: str
    reason: str | None = None
    turn_id: str | None = None
    email: str | None = None
    message: NewMessage | None = None
    queue: bool = True
    """False where nobody reads requests: it is recorded, and the assistant goes on answering."""


def ownership_of(row: ConversationRow) -> Ownership:
    return Ownership(State(row.state), row.owner, row.version, row.generation)


class ConversationRecords(Repository):
    """Conversations of one tenant."""

    def __init__(
        self, database: Database, tenant: str, hooks: Sequence[Hook] = (), noticed: Sequence[Noticed] = ()
    ) -> None:
        super().__init__(database, tenant)
        self._hooks = list(hooks)
        self._noticed = list(noticed)

    def on_change(self, hook: Hook) -> None:
        """Run `hook` in the transaction of every later change of ownership."""
        self._hooks.append(hook)

    async def find(self, conversation_id: str) -> ConversationRow | None:
        async with self._database.read_session() as session:
            return (await session.scalars(self._one(conversation_id))).one_or_none()

    async def messages(self, conversation_id: str, after: int = 0, limit: int = 1000) -> Sequence[MessageRow]:
        """Messages numbered above `after`, in order."""
        query = self._rows(MessageRow).where(MessageRow.conversation_id == conversation_id, MessageRow.seq > after)
        async with self._database.read_session() as session:
            return (await session.scalars(query.order_by(MessageRow.seq).limit(limit))).all()

    async def begin(self, entry: Entry, message: NewMessage, now: float) -> Said:
        """Store what a visitor wrote; a resolved conversation is the assistant's again. Raises Foreign."""
        return await self._retried(lambda: self._begin(entry, message, now))

    async def deliver(
        self,
        conversation_id: str,
        generation: int,
        answer: NewMessage,
        now: float,
        *,
        label: str,
        lang: str,
        question: str = "",
        concerns: Concerns | None = None,
    ) -> Said:
        """Store the assistant's answer, if the conversation still is its own; otherwise nothing is added.

        The conversation is known by its gravest matter: a question with high stakes stays its label and subject,
        until there is one that is more pressing.
        """
        async with self._database.transaction() as session:
            row = await self._locked(session, conversation_id)
            if row.generation != generation or not ownership_of(row).bot_answers:
                return Said(row, tell=_tell(row))
            row.lang = lang
            pressing = await self._pressing(session, row, answer.turn_id, concerns or {})
            if (label == GRAVE and row.label != GRAVE) or (pressing and pressing is not Concern.UNANSWERED):
                row.subject = question[:SUBJECT_CHARS] or row.subject
            row.label = GRAVE if row.label == GRAVE else label
            added = await self._append(session, row, [answer], now)
            for hook in self._noticed if pressing else ():
                await hook(session, row)
            return Said(row, added)

    async def _pressing(
        self, session: AsyncSession, row: ConversationRow, turn_id: str | None, concerns: Concerns
    ) -> Concern | None:
        """The concern that is put on the row: more pressing than what is there; None where there is none."""
        for concern, priority in sorted(concerns.items(), key=lambda one: -one[1]):
            if priority <= row.priority:
                break
            if concern is not Concern.UNANSWERED or await self._unanswered_before(session, row, turn_id) + 1 >= FAILED:
                row.concern, row.priority, row.concern_turn_id = concern.value, int(priority), turn_id
                return concern
        return None

    async def _unanswered_before(self, session: AsyncSession, row: ConversationRow, turn_id: str | None) -> int:
        missed = UnansweredRow
        query = select(func.count()).where(
            missed.tenant == self._tenant, missed.conversation_id == row.id, missed.turn_id != (turn_id or "")
        )
        return int((await session.scalars(query)).one())

    async def hand_over(self, entry: Entry, request: Request, notice: Callable[[int], NewMessage], now: float) -> Said:
        """Put the conversation in the queue, unless it is there, with a person, or this very request led there before.

        `notice` makes the event of a generation. Raises Foreign.
        """
        return await self._retried(lambda: self._hand_over(entry, request, notice, now))

    async def act(
        self,
        conversation_id: str,
        version: int,
        action: Action,
        now: float,
        *,
        user_id: str | None = None,
        notice: Callable[[int], NewMessage] | None = None,
        values: dict[str, Any] | None = None,
    ) -> Said:
        """Change who owns it, by compare-and-swap on `version`. Raises Unknown, Stale and NotPossible."""
        async with self._database.transaction() as session:
            row = await self._locked(session, conversation_id)
            if row.version != version:
                raise _stale(session, row)
            return await self._moved(session, row, action, now, user_id, notice, values)

    async def reply(self, conversation_id: str, message: NewMessage, now: float) -> Said:
        """Store what its owner writes. Raises Unknown, and Stale when the author does not own it."""
        async with self._database.transaction() as session:
            row = await self._locked(session, conversation_id)
            if row.state != State.PERSON or row.owner != message.user_id:
                if found := await self._same(session, conversation_id, message.id):
                    return Said(row, [found])
                raise _stale(session, row)
            added = await self._append(session, row, [message], now)
            row.first_response_at = row.first_response_at or now
            row.agent_read_seq = row.last_seq
            return Said(row, added)

    async def read(self, conversation_id: str, side: str, seq: int) -> ConversationRow:
        """`visitor` or `agent` has seen everything up to `seq`. Raises Unknown."""
        async with self._database.transaction() as session:
            row = await self._locked(session, conversation_id)
            seen = min(seq, row.last_seq)
            if side == "visitor":
                row.visitor_read_seq = max(row.visitor_read_seq, seen)
            else:
                row.agent_read_seq = max(row.agent_read_seq, seen)
            return row

    async def set(self, conversation_id: str, **values: Any) -> ConversationRow:
        """Change columns that have nothing to do with ownership. Raises Unknown."""
        async with self._database.transaction() as session:
            row = await self._locked(session, conversation_id)
            for name, value in values.items():
                setattr(row, name, value)
            return row

    async def _begin(self, entry: Entry, message: NewMessage, now: float) -> Said:
        async with self._database.transaction() as session:
            row = await self._opened(session, entry, message.text, now)
            moved = row.state == State.RESOLVED and not await self._same(session, row.id, message.id)
            if moved:
                await self._moved(session, row, Action.WRITE, now, values={"label": None})
            added = await self._append(session, row, [message], now)
            tell = _tell(row)
            if tell:
                row.told_generation = row.generation
            return Said(row, added, tell, moved)

    async def _hand_over(self, entry: Entry, request: Request, notice: Callable[[int], NewMessage], now: float) -> Said:
        async with self._database.transaction() as session:
            said = [request.message] if request.message is not None else []
            row = await self._opened(session, entry, said[0].text if said else "", now)
            added = await self._append(session, row, said, now)
            row.email = request.email or row.email
            again = request.turn_id is not None and request.turn_id == row.handoff_turn_id
            if not request.queue or again or not ownership_of(row).bot_answers:
                row.reference = row.reference or request.reference
                return Said(row, added)
            values = {
                "reference": row.reference or request.reference,
                "reason": request.reason or row.reason,
                "handoff_turn_id": request.turn_id,
                "subject": await self._asked(session, row.id, request) or row.subject,
            }
            moved = await self._moved(session, row, Action.HAND_OVER, now, None, notice, values)
            return Said(row, [*added, *moved.added], moved=True)

    async def _asked(self, session: AsyncSession, conversation_id: str, request: Request) -> str:
        """The question for which a person is wanted; empty where that is the wish for a person itself."""
        if request.turn_id is None or request.reason in (None, VISITOR_REQUEST):
            return ""
        query = self._rows(MessageRow).where(
            MessageRow.conversation_id == conversation_id,
            MessageRow.turn_id == request.turn_id,
            MessageRow.author == "visitor",
        )
        asked = (await session.scalars(query.order_by(MessageRow.seq).limit(1))).first()
        return asked.text[:SUBJECT_CHARS] if asked is not None else ""

    async def _moved(
        self,
        session: AsyncSession,
        row: ConversationRow,
        action: Action,
        now: float,
        user_id: str | None = None,
        notice: Callable[[int], NewMessage] | None = None,
        values: dict[str, Any] | None = None,
    ) -> Said:
        before = ownership_of(row)
        after = step(before, action, user_id)
        await session.flush()
        changed: Any = await session.execute(
            self._change(ConversationRow)
            .where(ConversationRow.id == row.id, ConversationRow.version == before.version)
            .values(
                state=after.state,
                owner=after.owner,
                version=after.version,
                generation=after.generation,
                updated_at=now,
                **marks_of(action, now),
                **(values or {}),
            )
        )
        await session.refresh(row)
        if changed.rowcount != 1:
            raise _stale(session, row)
        added = await self._append(session, row, [notice(after.generation)] if notice else [], now)
        for hook in self._hooks:
            await hook(session, row, action)
        return Said(row, added, moved=True)

    async def _opened(self, session: AsyncSession, entry: Entry, text: str, now: float) -> ConversationRow:
        """The conversation, locked and bound to its visitor; a new one where there is none."""
        row = (await session.scalars(self._one(entry.conversation_id).with_for_update())).one_or_none()
        if row is None:
            row = new_row(self._tenant, entry, text, now)
            session.add(row)
            await session.flush()
        if row.visitor_id is None:
            row.visitor_id = entry.visitor_id
        elif row.visitor_id != entry.visitor_id:
            raise Foreign("the conversation belongs to another visitor")
        if entry.known:
            row.context = {**row.context, **entry.known}
        return row

    async def _append(
        self, session: AsyncSession, row: ConversationRow, messages: Sequence[NewMessage], now: float
    ) -> list[MessageRow]:
        """New messages in their place; those that are there already are left out."""
        added = []
        for message in messages:
            if await self._same(session, row.id, message.id):
                continue
            row.last_seq += 1
            stored = message_row(row, message, now)
            session.add(stored)
            added.append(stored)
            if message.kind == "message":
                said = gist(message.text) if message.author == "assistant" else message.text
                row.last_text, row.last_author = said[:LAST_CHARS], message.author
                row.subject = row.subject or message.text[:SUBJECT_CHARS]
                row.updated_at = now
        await session.flush()
        return added

    async def _same(self, session: AsyncSession, conversation_id: str, message_id: str) -> MessageRow | None:
        query = self._rows(MessageRow).where(MessageRow.conversation_id == conversation_id, MessageRow.id == message_id)
        return (await session.scalars(query)).one_or_none()

    async def _locked(self, session: AsyncSession, conversation_id: str) -> ConversationRow:
        row = (await session.scalars(self._one(conversation_id).with_for_update())).one_or_none()
        if row is None:
            raise Unknown("this conversation doesn't exist")
        return row

    def _one(self, conversation_id: str) -> Select[ConversationRow]:
        return self._rows(ConversationRow).where(ConversationRow.id == conversation_id)

    async def _retried(self, work: Callable[[], Awaitable[Said]]) -> Said:
        """Two first messages at once: the second finds the conversation that the first has made."""
        try:
            return await work()
        except IntegrityError:
            return await work()


def _stale(session: AsyncSession, row: ConversationRow) -> Stale:
    session.expunge(row)  # a rollback would empty it
    return Stale(row)


def _tell(row: ConversationRow) -> bool:
    return not ownership_of(row).bot_answers and row.told_generation < row.generation
