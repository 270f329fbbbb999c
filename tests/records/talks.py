"""Conversations and turns written straight into the tables, for figures that are known beforehand."""

from __future__ import annotations

from itertools import count
from typing import Any

from handrail.records.database import Database
from handrail.records.desk_tables import ConversationRow, EvidenceRow, FeedbackRow, UnansweredRow

TENANT = "default"
NUMBERS = count()


def talk(id_: str, at: float, **values: Any) -> ConversationRow:
    given: dict[str, Any] = {
        "tenant": TENANT,
        "id": id_,
        "visitor_id": f"visitor-of-{id_}",
        "lang": "en",
        "state": "bot",
        "owner": None,
        "version": 0,
        "generation": 0,
        "told_generation": 0,
        "last_seq": 0,
        "reference": None,
        "subject": "",
        "last_text": "",
        "last_author": "visitor",
        "created_at": at,
        "updated_at": at,
        "context": {},
        "visitor_read_seq": 0,
        "agent_read_seq": 0,
    }
    return ConversationRow(**{**given, **values})


def evidence(conversation: str, at: float, routing: str = "answered", **values: Any) -> EvidenceRow:
    given: dict[str, Any] = {
        "tenant": TENANT,
        "turn_id": f"turn-{next(NUMBERS)}",
        "conversation_id": conversation,
        "question": "How do I connect my domain?",
        "routing": routing,
        "label": "answerable",
        "refusal_reason": None,
        "confidence": 0.9,
        "passages": [],
        "claims": [],
        "meta": {},
        "at": at,
    }
    return EvidenceRow(**{**given, **values})


def thumb(turn: EvidenceRow, rating: str, reason: str | None = None, **values: Any) -> FeedbackRow:
    given = {
        "tenant": turn.tenant,
        "turn_id": turn.turn_id,
        "conversation_id": turn.conversation_id,
        "rating": rating,
        "reason": reason,
        "comment": None,
        "at": turn.at,
    }
    return FeedbackRow(**{**given, **values})


def unanswered(turn: EvidenceRow, reason: str = "no_relevant_context") -> UnansweredRow:
    return UnansweredRow(
        tenant=turn.tenant,
        turn_id=turn.turn_id,
        conversation_id=turn.conversation_id,
        question=turn.question,
        reason=reason,
        at=turn.at,
    )


async def store(database: Database, *rows: object) -> None:
    async with database.transaction() as session:
        session.add_all(rows)
