"""Requests for a person: recorded once per conversation, never lost, and found again by a short reference."""

from dataclasses import dataclass
from typing import Literal

Author = Literal["visitor", "assistant"]


@dataclass(frozen=True, slots=True)
class Line:
    """One message of a past that only the client speaks of: the visitor's word, whoever is said to have written it."""

    author: Author
    text: str


@dataclass(frozen=True, slots=True)
class HandoffRequest:
    """What a visitor sent, already checked for shape and size; everything is optional."""

    conversation_id: str | None = None
    turn_id: str | None = None
    reason: str | None = None
    email: str | None = None
    message: str | None = None
    claimed: tuple[Line, ...] = ()
    """What was said before, where nothing of it is on record here."""


@dataclass(frozen=True, slots=True)
class Handoff:
    """A recorded request; times are seconds since the epoch."""

    reference: str
    conversation_id: str | None
    turn_id: str | None
    reason: str | None
    email: str | None
    earlier_emails: tuple[str, ...]
    """Addresses given before `email` in the same conversation, oldest first."""
    message: str | None
    """All messages in the order they came, a blank line between them."""
    claimed: tuple[Line, ...]
    created_at: float
    updated_at: float


@dataclass(frozen=True, slots=True)
class Receipt:
    """The record after a request, and whether the request made it or added to it."""

    handoff: Handoff
    created: bool
