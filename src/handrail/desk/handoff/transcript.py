"""A conversation as plain text, for the visitor to keep."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from handrail.records.desk_tables import ConversationRow, MessageRow


def as_text(row: ConversationRow, messages: Sequence[MessageRow], assistant: str) -> str:
    """One paragraph per message with its time (UTC) and author; what is said by an AI is marked as such.

    Every line of a message is indented, and nothing else is: no message can look like one of somebody else's.
    """
    begun = _time(row.created_at)
    head = f"Conversation of {begun}" + (f", reference {row.reference}" if row.reference else "")
    lines = [f"[{_time(message.at)}] {_author(message, assistant)}:\n{_indented(message.text)}" for message in messages]
    return "\n\n".join([head, *lines]) + "\n"


def _author(message: MessageRow, assistant: str) -> str:
    match message.author:
        case "visitor":
            return "You"
        case "assistant":
            return f"{assistant} (AI)"
        case "agent":
            return message.name or "Agent"
        case _:
            return "·"


def _indented(text: str) -> str:
    """Splits at every line end that Unicode knows: mail programs differ in which they honour."""
    return "\n".join(f"    {line}" for line in text.splitlines())


def _time(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M UTC")
