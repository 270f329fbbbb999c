"""Rows of a new conversation and of a message in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from handrail.desk.handoff.ownership import Action, State
from handrail.records.desk_tables import ConversationRow, MessageRow

if TYPE_CHECKING:
    from handrail.records.conversations import Entry, NewMessage

SUBJECT_CHARS = 120
SETTLED: dict[str, Any] = {"concern": None, "concern_turn_id": None, "priority": 0}
"""An agent has dealt with it; only what comes after that is a concern again."""


def marks_of(action: Action, now: float) -> dict[str, Any]:
    """What a change of ownership leaves on a conversation besides its state."""
    match action:
        case Action.HAND_OVER | Action.REOPEN:
            return {"queued_at": now, "taken_at": None, "first_response_at": None, "resolved_at": None}
        case Action.TAKE:
            return {"taken_at": now}
        case Action.HAND_BACK:
            return SETTLED
        case Action.RESOLVE:
            return {"resolved_at": now, **SETTLED}
        case _:
            return {}


def new_row(tenant: str, entry: Entry, text: str, now: float) -> ConversationRow:
    """The assistant has it, and nothing has been said."""
    return ConversationRow(
        tenant=tenant,
        id=entry.conversation_id,
        visitor_id=entry.visitor_id,
        lang=entry.lang,
        state=State.BOT.value,
        version=0,
        generation=0,
        told_generation=0,
        last_seq=0,
        subject=text[:SUBJECT_CHARS],
        last_text="",
        last_author="",
        created_at=now,
        updated_at=now,
        context={},
        visitor_read_seq=0,
        agent_read_seq=0,
    )


def message_row(row: ConversationRow, message: NewMessage, now: float) -> MessageRow:
    """At the end of the conversation as it is now."""
    return MessageRow(
        tenant=row.tenant,
        conversation_id=row.id,
        seq=row.last_seq,
        id=message.id,
        author=message.author,
        user_id=message.user_id,
        name=message.name,
        text=message.text,
        kind=message.kind,
        turn_id=message.turn_id,
        meta=message.meta,
        at=now,
    )
