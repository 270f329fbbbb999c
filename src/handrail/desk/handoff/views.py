"""Conversations as visitors and agents see them, JSON-ready."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from handrail.desk.handoff import Line
from handrail.records.desk_tables import ConversationRow, EvidenceRow, FeedbackRow, MessageRow, NoteRow

LIST_FIELDS = (
    "id", "reference", "state", "label", "reason", "lang", "subject", "last_text", "last_author", "created_at",
    "queued_at", "taken_at", "updated_at", "resolved_at", "resolve_cause", "version", "generation", "csat",
    "concern", "priority",
)  # fmt: skip


def message(row: MessageRow) -> dict[str, Any]:
    """What both sides see of a message."""
    return {
        "seq": row.seq,
        "id": row.id,
        "author": row.author,
        "name": row.name,
        "text": row.text,
        "at": row.at,
        "kind": row.kind,
        "turn_id": row.turn_id,
    }


def claimed(line: Line) -> dict[str, Any]:
    """A line of a past that only the visitor speaks of; it has no author here, whoever is said to have written it."""
    return {"said_by": line.author, "text": line.text}


def list_item(row: ConversationRow, unread: int, names: Mapping[str, str]) -> dict[str, Any]:
    """A line of the queue."""
    owner = {"id": row.owner, "name": names.get(row.owner, "")} if row.owner else None
    return {**{field: getattr(row, field) for field in LIST_FIELDS}, "owner": owner, "unread": unread}


def for_visitor(row: ConversationRow) -> dict[str, Any]:
    """A line of a visitor's own list."""
    return {
        "id": row.id,
        "state": row.state,
        "reference": row.reference,
        "subject": row.subject,
        "last_text": row.last_text,
        "last_author": row.last_author,
        "created_at": row.created_at,
        "updated_at": row.updated_at,
        "csat": row.csat,
    }


WHOLE_FIELDS = (
    "concern_turn_id",
    "csat_comment",
    "visitor_read_seq",
    "agent_read_seq",
    "first_response_at",
    "last_seq",
)


def whole(row: ConversationRow, unread: int, names: Mapping[str, str]) -> dict[str, Any]:
    """All of a conversation but its messages, for agents."""
    return {**list_item(row, unread, names), **{field: getattr(row, field) for field in WHOLE_FIELDS}}


def note(row: NoteRow, names: Mapping[str, str]) -> dict[str, Any]:
    return {"id": row.id, "user_id": row.user_id, "name": names.get(row.user_id, ""), "text": row.text, "at": row.at}


def turn(row: EvidenceRow) -> dict[str, Any]:
    """What the assistant's answer rested on."""
    fields = (
        "turn_id", "question", "routing", "label", "refusal_reason", "confidence", "passages", "claims", "at",
    )  # fmt: skip
    meta = {key: value for key, value in row.meta.items() if key != "shown"}
    return {**{field: getattr(row, field) for field in fields}, "meta": meta, **_shown_with(row)}


def shown(row: EvidenceRow) -> dict[str, Any]:
    """What a visitor who comes back to an answer sees with it."""
    return {
        "turn_id": row.turn_id,
        "routing": row.routing,
        "refusal_reason": row.refusal_reason,
        "confidence": row.confidence,
        "citations": [{"index": place, **passage} for place, passage in enumerate(row.passages, 1)],
        **_shown_with(row),
    }


def _shown_with(row: EvidenceRow) -> dict[str, Any]:
    """Turns recorded before these fields were kept have none of them."""
    shown: dict[str, Any] = row.meta.get("shown", {})
    return {
        "disclaimer": shown.get("disclaimer"),
        "notice": shown.get("notice"),
        **{key: shown.get(key, []) for key in ("sources", "pieces", "closest", "requests")},
    }


def feedback(row: FeedbackRow) -> dict[str, Any]:
    return {
        "turn_id": row.turn_id,
        "rating": row.rating,
        "reason": row.reason,
        "comment": row.comment,
        "at": row.at,
    }
