"""Conversations in progress: what is written and who answers, recorded first and told to whoever watches after."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from handrail.desk.handoff import HandoffRequest, views
from handrail.desk.handoff.beside import beside
from handrail.desk.handoff.concern import Concerns
from handrail.desk.handoff.live import DESK, Event, Hub, conversation_topic
from handrail.desk.handoff.names import Names
from handrail.desk.handoff.ownership import Action, State
from handrail.records.conversations import (
    ConversationRecords,
    Entry,
    Foreign,
    NewMessage,
    Request,
    Said,
    Unknown,
    ownership_of,
)
from handrail.records.desk_tables import ConversationRow
from handrail.records.lists import ConversationLists
from handrail.text.redact import redact
from handrail.turn.wording import load_wording
from handrail.types import Question

ANSWER = "{}.answer"


@dataclass(frozen=True, slots=True)
class Expected:
    """What visitors who wait are told, in their language, and seconds they may have to wait, where that is known."""

    text: str
    wait_s: float | None = None


Expectation = Callable[[str], Awaitable[Expected]]


@dataclass(frozen=True, slots=True)
class Begun:
    """A visitor's message on record: answered by the assistant unless `instead` says what is said in its place."""

    generation: int
    instead: str | None = None
    first: bool = False
    """Nothing was on record of this conversation before."""


class Conversations:
    """Conversations of one tenant."""

    def __init__(
        self,
        records: ConversationRecords,
        lists: ConversationLists,
        hub: Hub,
        names: Names,
        clock: Callable[[], float],
        brand: str,
        expectation: Expectation,
    ) -> None:
        self.records = records
        self.lists = lists
        self.hub = hub
        self.names = names
        self.clock = clock
        self._brand = brand
        self.expectation = expectation

    async def owned_by_person(self, conversation_id: str, visitor_id: str | None) -> bool:
        """Whether a person answers, or is waited for. Raises Foreign."""
        row = await self._own(conversation_id, visitor_id)
        return row is not None and not ownership_of(row).bot_answers

    async def on_record(self, conversation_id: str, visitor_id: str | None) -> bool:
        """Whether anything was said in it, as far as we know. Raises Foreign."""
        row = await self._own(conversation_id, visitor_id)
        return row is not None and row.last_seq > 0

    async def begin(self, question: Question, visitor_id: str | None) -> Begun:
        """Record a visitor's message before anything is done about it. Raises Foreign."""
        known = known_of(question.context, question.said)
        entry = Entry(question.conversation_id, visitor_id, question.lang, known)
        text = NewMessage(question.turn_id, "visitor", redact(question.text), turn_id=question.turn_id)
        said = await self.records.begin(entry, text, self.clock())
        await self.tell(said)
        if ownership_of(said.row).bot_answers:
            return Begun(said.row.generation, first=bool(said.added) and said.added[0].seq == 1)
        return Begun(said.row.generation, await self._instead(said))

    async def deliver(
        self, question: Question, begun: Begun, answer: str, label: str, concerns: Concerns
    ) -> str | None:
        """Record the assistant's answer, unless the conversation has gone to a person; then what is said instead."""
        id_ = ANSWER.format(question.turn_id)
        message = NewMessage(id_, "assistant", redact(answer), turn_id=question.turn_id)
        said = await self.records.deliver(
            question.conversation_id,
            begun.generation,
            message,
            self.clock(),
            label=label,
            lang=question.lang,
            question=redact(question.text),
            concerns=concerns,
        )
        await self.tell(said)
        if said.row.generation == begun.generation and ownership_of(said.row).bot_answers:
            return None
        return await self._instead(said)

    async def hand_over(
        self,
        conversation_id: str,
        visitor_id: str | None,
        request: HandoffRequest,
        reference: str,
        *,
        queue: bool,
        known: Mapping[str, Any] | None = None,
    ) -> ConversationRow:
        """Put the conversation in the queue, or add to what is there. Raises Foreign."""
        text = await beside(redact, request.message) if request.message else None
        found = await self.records.find(conversation_id)
        lang = found.lang if found else "en"

        def notice(generation: int) -> NewMessage:
            said = load_wording(self._brand, lang).say("person_asked", reference=reference)
            return NewMessage(f"handed-over-{generation}", "system", said, kind="event", meta={"event": "queued"})

        wish = Request(
            reference=reference,
            reason=redact(request.reason) if request.reason else None,
            turn_id=request.turn_id,
            email=request.email,
            message=NewMessage(_id_of("request", text), "visitor", text) if text else None,
            queue=queue,
        )
        said = await self.records.hand_over(
            Entry(conversation_id, visitor_id, known=known or {}), wish, notice, self.clock()
        )
        await self.tell(said)
        return said.row

    async def act(
        self,
        conversation_id: str,
        version: int,
        action: Action,
        user_id: str | None,
        values: dict[str, Any] | None = None,
    ) -> ConversationRow:
        """Change who answers. Raises Unknown, Stale and NotPossible."""
        row = await self.records.find(conversation_id)
        if row is None:
            raise Unknown("this conversation doesn't exist")
        notice = await self._notice(row, action, user_id)
        said = await self.records.act(
            conversation_id, version, action, self.clock(), user_id=user_id, notice=notice, values=values
        )
        await self.tell(said)
        return said.row

    async def reply(self, conversation_id: str, message: NewMessage) -> Said:
        """What the owner writes. Raises Unknown and Stale."""
        said = await self.records.reply(conversation_id, message, self.clock())
        await self.tell(said)
        return said

    async def tell(self, said: Said) -> None:
        """Let both sides know what is new."""
        if not said.added and not said.moved:
            return
        row = said.row
        messages = [{"type": "message", **views.message(message)} for message in said.added]
        states: list[Event] = [await self.state(row)] if said.moved else []
        await self.hub.publish(conversation_topic(row.id), *messages, *states)
        await self.tell_desk(row, messages)

    async def tell_desk(self, row: ConversationRow, messages: Sequence[Event] = ()) -> None:
        """Let the desk know how a conversation stands."""
        item = views.list_item(row, await self.lists.unread(row.id, row.agent_read_seq), await self.names.all())
        told = [{"type": "message", "conversation_id": row.id, "message": message} for message in messages]
        await self.hub.publish(DESK, *told, {"type": "conversation", "item": item})

    async def state(self, row: ConversationRow) -> Event:
        """Who answers, for the visitor."""
        name = (await self.names.all()).get(row.owner or "")
        expected = await self.expectation(row.lang) if row.state == State.QUEUED else Expected("")
        return {
            "type": "state",
            "state": row.state,
            "agent": {"name": name} if name else None,
            "reference": row.reference,
            "expected_wait_s": expected.wait_s,
            "text": expected.text or None,
            "version": row.version,
            "generation": row.generation,
            "read": row.agent_read_seq,
        }

    async def _own(self, conversation_id: str, visitor_id: str | None) -> ConversationRow | None:
        row = await self.records.find(conversation_id)
        if row is not None and row.visitor_id not in (None, visitor_id):
            raise Foreign("the conversation belongs to another visitor")
        return row

    async def _notice(
        self, row: ConversationRow, action: Action, user_id: str | None
    ) -> Callable[[int], NewMessage] | None:
        words = load_wording(self._brand, row.lang)
        version = row.version + 1
        match action:
            case Action.TAKE | Action.TRANSFER:
                name = (await self.names.all()).get(user_id or "", self._brand)
                text = words.say("handed_off", agent=name)
            case Action.HAND_BACK:
                text = words.say("assistant_again")
            case Action.RESOLVE:
                text = words.say("resolved")
            case Action.REOPEN:
                text = words.say("person_asked", reference=row.reference or "")
            case _:
                return None

        def made(generation: int) -> NewMessage:
            """Taking it is announced once per hand-over, whatever else happens in it."""
            announced = action is Action.TAKE
            return NewMessage(
                f"announced-{generation}" if announced else f"{action.value}-{version}",
                "system",
                text,
                kind="announcement" if announced else "event",
                meta={"event": action.value},
            )

        return made

    async def _instead(self, said: Said) -> str:
        """What the visitor reads in place of an answer: in full once per hand-over, briefly afterwards."""
        row = said.row
        words = load_wording(self._brand, row.lang)
        name = (await self.names.all()).get(row.owner or "")
        if name:
            return words.say("handed_off" if said.tell else "person_has_message", agent=name)
        if said.tell:
            asked = words.say("person_asked", reference=row.reference or "")
            return f"{asked} {(await self.expectation(row.lang)).text}".strip()
        return words.say("person_message_added")


def known_of(proven: Mapping[str, str | float], said: Mapping[str, str | float]) -> dict[str, Any]:
    """What the desk sees of a visitor: what the page said as it is, and under `signed` what was proven."""
    plain = {key: redact(value) if isinstance(value, str) else value for key, value in said.items() if key != "signed"}
    return {**plain, **({"signed": dict(proven)} if proven else {})}


def _id_of(kind: str, text: str | None) -> str:
    return f"{kind}-{sha256((text or '').encode()).hexdigest()[:32]}"
