"""The tables of conversations and of the people who take them over; see `tables` for what all rows share."""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, Boolean, Double, Index, Integer, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from handrail.records.tables import NULLABLE_JSON, Base


class ConversationRow(Base):
    __tablename__ = "conversations"
    __table_args__ = (
        Index("ix_conversations_queue", "tenant", "state", "queued_at"),
        Index("ix_conversations_updated", "tenant", "updated_at"),
        Index("ix_conversations_visitor", "tenant", "visitor_id"),
        UniqueConstraint("tenant", "reference", name="one_conversation_per_reference"),
    )

    tenant: Mapped[str] = mapped_column(String(64), primary_key=True)
    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    visitor_id: Mapped[str | None] = mapped_column(String(64))
    lang: Mapped[str] = mapped_column(String(35))
    state: Mapped[str] = mapped_column(String(16))
    owner: Mapped[str | None] = mapped_column(String(32))
    """The user who has taken it."""
    version: Mapped[int] = mapped_column(Integer)
    """Goes up with every change of state or owner, and with nothing else: what such a change is compared with."""
    generation: Mapped[int] = mapped_column(Integer)
    """How many times it has been handed over."""
    told_generation: Mapped[int] = mapped_column(Integer)
    """The hand-over about which the visitor has been told in full."""
    last_seq: Mapped[int] = mapped_column(Integer)
    reference: Mapped[str | None] = mapped_column(String(16))
    handoff_turn_id: Mapped[str | None] = mapped_column(String(36))
    """The turn whose offer led to the last hand-over."""
    reason: Mapped[str | None] = mapped_column(Text)
    label: Mapped[str | None] = mapped_column(String(20))
    subject: Mapped[str] = mapped_column(Text)
    last_text: Mapped[str] = mapped_column(Text)
    last_author: Mapped[str] = mapped_column(String(12))
    created_at: Mapped[float] = mapped_column(Double)
    updated_at: Mapped[float] = mapped_column(Double)
    queued_at: Mapped[float | None] = mapped_column(Double)
    taken_at: Mapped[float | None] = mapped_column(Double)
    first_response_at: Mapped[float | None] = mapped_column(Double)
    resolved_at: Mapped[float | None] = mapped_column(Double)
    resolve_cause: Mapped[str | None] = mapped_column(String(60))
    csat: Mapped[int | None] = mapped_column(Integer)
    csat_comment: Mapped[str | None] = mapped_column(Text)
    concern: Mapped[str | None] = mapped_column(String(16))
    """Why an agent should look at it."""
    concern_turn_id: Mapped[str | None] = mapped_column(String(36))
    """The turn that gave reason for it."""
    priority: Mapped[int] = mapped_column(Integer, server_default="0", default=0)
    """How soon; 0 without a concern."""
    context: Mapped[dict[str, Any]] = mapped_column(JSON)
    """What the host page passed about the visitor."""
    email: Mapped[str | None] = mapped_column(String(254))
    visitor_read_seq: Mapped[int] = mapped_column(Integer)
    agent_read_seq: Mapped[int] = mapped_column(Integer)


class MessageRow(Base):
    __tablename__ = "messages"
    __table_args__ = (UniqueConstraint("tenant", "conversation_id", "id", name="one_message_per_id"),)

    tenant: Mapped[str] = mapped_column(String(64), primary_key=True)
    conversation_id: Mapped[str] = mapped_column(String(64), primary_key=True)
    seq: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    """From 1, without gaps."""
    id: Mapped[str] = mapped_column(String(80))
    """Made by whoever sends it; sent again, it is the same message."""
    author: Mapped[str] = mapped_column(String(12))
    user_id: Mapped[str | None] = mapped_column(String(32))
    name: Mapped[str | None] = mapped_column(String(100))
    text: Mapped[str] = mapped_column(Text)
    kind: Mapped[str] = mapped_column(String(16))
    turn_id: Mapped[str | None] = mapped_column(String(36))
    meta: Mapped[dict[str, Any]] = mapped_column(JSON)
    at: Mapped[float] = mapped_column(Double)


class EvidenceRow(Base):
    """What a turn rested on: enough to see why the assistant said what it said."""

    __tablename__ = "turn_evidence"
    __table_args__ = (
        Index("ix_turn_evidence_conversation", "tenant", "conversation_id"),
        Index("ix_turn_evidence_at", "tenant", "at"),
    )

    tenant: Mapped[str] = mapped_column(String(64), primary_key=True)
    turn_id: Mapped[str] = mapped_column(String(36), primary_key=True)
    conversation_id: Mapped[str] = mapped_column(String(64))
    question: Mapped[str] = mapped_column(Text)
    routing: Mapped[str] = mapped_column(String(24))
    label: Mapped[str] = mapped_column(String(20))
    refusal_reason: Mapped[str | None] = mapped_column(String(40))
    confidence: Mapped[float] = mapped_column(Double)
    passages: Mapped[list[dict[str, Any]]] = mapped_column(JSON)
    claims: Mapped[list[dict[str, Any]]] = mapped_column(JSON)
    meta: Mapped[dict[str, Any]] = mapped_column(JSON)
    at: Mapped[float] = mapped_column(Double)


class UnansweredRow(Base):
    __tablename__ = "unanswered"
    __table_args__ = (Index("ix_unanswered_at", "tenant", "at"),)

    tenant: Mapped[str] = mapped_column(String(64), primary_key=True)
    turn_id: Mapped[str] = mapped_column(String(36), primary_key=True)
    conversation_id: Mapped[str] = mapped_column(String(64), index=True)
    question: Mapped[str] = mapped_column(Text)
    reason: Mapped[str] = mapped_column(String(40))
    at: Mapped[float] = mapped_column(Double)


class FeedbackRow(Base):
    __tablename__ = "feedback"
    __table_args__ = (Index("ix_feedback_at", "tenant", "at"),)

    tenant: Mapped[str] = mapped_column(String(64), primary_key=True)
    turn_id: Mapped[str] = mapped_column(String(36), primary_key=True)
    conversation_id: Mapped[str] = mapped_column(String(64), index=True)
    rating: Mapped[str] = mapped_column(String(4))
    reason: Mapped[str | None] = mapped_column(String(20))
    comment: Mapped[str | None] = mapped_column(Text)
    at: Mapped[float] = mapped_column(Double)


class NoteRow(Base):
    """What colleagues tell each other; never shown to visitors."""

    __tablename__ = "notes"
    __table_args__ = (Index("ix_notes_conversation", "tenant", "conversation_id"),)

    tenant: Mapped[str] = mapped_column(String(64), primary_key=True)
    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    conversation_id: Mapped[str] = mapped_column(String(64))
    user_id: Mapped[str] = mapped_column(String(32))
    text: Mapped[str] = mapped_column(Text)
    at: Mapped[float] = mapped_column(Double)


class UserRow(Base):
    __tablename__ = "users"
    __table_args__ = (
        UniqueConstraint("tenant", "email", name="one_user_per_email"),
        Index("one_user_per_subject", "tenant", "subject", unique=True),
    )

    tenant: Mapped[str] = mapped_column(String(64), primary_key=True)
    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    email: Mapped[str] = mapped_column(String(254))
    """In lower case."""
    name: Mapped[str] = mapped_column(String(100))
    password_hash: Mapped[str] = mapped_column(Text)
    """Argon2id, with its parameters."""
    role: Mapped[str] = mapped_column(String(8))
    active: Mapped[bool] = mapped_column(Boolean)
    created_at: Mapped[float] = mapped_column(Double)
    subject: Mapped[str | None] = mapped_column(String(64))
    """Who it is at the provider of accounts: SHA-256 of issuer and subject."""


class SessionRow(Base):
    __tablename__ = "sessions"

    tenant: Mapped[str] = mapped_column(String(64), primary_key=True)
    token_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    """SHA-256 of the cookie, which is not kept itself."""
    user_id: Mapped[str] = mapped_column(String(32), index=True)
    csrf: Mapped[str] = mapped_column(String(64))
    expires_at: Mapped[float] = mapped_column(Double)
    created_at: Mapped[float] = mapped_column(Double)


class CannedRow(Base):
    """A reply written once; `{visitor_name}`, `{agent_name}`, `{reference}` and `{brand}` are filled in by the page."""

    __tablename__ = "canned"

    tenant: Mapped[str] = mapped_column(String(64), primary_key=True)
    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    title: Mapped[str] = mapped_column(String(120))
    text: Mapped[str] = mapped_column(Text)


class AuditRow(Base):
    """Who did what at the desk."""

    __tablename__ = "audit"
    __table_args__ = (Index("ix_audit_at", "tenant", "action", "at"),)

    tenant: Mapped[str] = mapped_column(String(64), primary_key=True)
    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    user_id: Mapped[str | None] = mapped_column(String(32))
    action: Mapped[str] = mapped_column(String(40))
    target: Mapped[str | None] = mapped_column(String(254))
    detail: Mapped[dict[str, Any] | None] = mapped_column(NULLABLE_JSON)
    at: Mapped[float] = mapped_column(Double)


class PauseRow(Base):
    """There is one while the assistant is paused for all visitors."""

    __tablename__ = "pauses"

    tenant: Mapped[str] = mapped_column(String(64), primary_key=True)
    since: Mapped[float] = mapped_column(Double)
    user_id: Mapped[str | None] = mapped_column(String(32))
    """Who paused it; empty for the command line."""
