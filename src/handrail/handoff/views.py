"""Conversations as visitors and agents see them, JSON-ready."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from handrail.records.desk_tables import ConversationRow, MessageRow

LIST_FIELDS = (
    "id", "reference", "state", "label", "reason", "lang", "subject", "last_text", "last_author", "created_at",
    "queued_at", "taken_at", "updated_at", "resolved_at", "resolve_cause", "version", "generation", "csat",
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
