"""The tables. Every row belongs to a tenant; times are seconds since the epoch."""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, Double, String, Text, UniqueConstraint
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

NULLABLE_JSON = JSON(none_as_null=True)


class Base(DeclarativeBase):
    pass


class TurnRow(Base):
    """A turn in flight, or finished with the response that was sent."""

    __tablename__ = "turns"
    __table_args__ = (UniqueConstraint("tenant", "running", name="one_turn_in_flight"),)

    tenant: Mapped[str] = mapped_column(String(64), primary_key=True)
    turn_id: Mapped[str] = mapped_column(String(36), primary_key=True)
    conversation_id: Mapped[str] = mapped_column(String(64))
    running: Mapped[str | None] = mapped_column(String(64))
    """The conversation while the turn is in flight, so that the database itself allows one at a time."""
    fingerprint: Mapped[str] = mapped_column(String(64))
    """SHA-256 of what was asked, which is not kept itself."""
    response: Mapped[dict[str, Any] | None] = mapped_column(NULLABLE_JSON)
    created_at: Mapped[float] = mapped_column(Double, index=True)


class HandoffRow(Base):
    __tablename__ = "handoffs"
    __table_args__ = (UniqueConstraint("tenant", "conversation_id", name="one_handoff_per_conversation"),)

    tenant: Mapped[str] = mapped_column(String(64), primary_key=True)
    reference: Mapped[str] = mapped_column(String(16), primary_key=True)
    conversation_id: Mapped[str | None] = mapped_column(String(64))
    turn_id: Mapped[str | None] = mapped_column(String(36))
    reason: Mapped[str | None] = mapped_column(Text)
    email: Mapped[str | None] = mapped_column(String(254))
    earlier_emails: Mapped[list[str]] = mapped_column(JSON)
    message: Mapped[str | None] = mapped_column(Text)
    transcript: Mapped[list[dict[str, str]]] = mapped_column(JSON)
    """The past as the client told it, where none was on record: a claim of the visitor's."""
    created_at: Mapped[float] = mapped_column(Double, index=True)
    updated_at: Mapped[float] = mapped_column(Double)
