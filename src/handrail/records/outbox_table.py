"""The table of letters; see `tables` for what all rows share."""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, Boolean, Double, Index, Integer, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from handrail.records.tables import Base


class OutboxRow(Base):
    __tablename__ = "outbox"
    __table_args__ = (
        Index("ix_outbox_due", "tenant", "done_at", "dead", "next_at"),
        Index("ix_outbox_conversation", "tenant", "conversation_id"),
    )

    tenant: Mapped[str] = mapped_column(String(64), primary_key=True)
    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    channel: Mapped[str] = mapped_column(String(20))
    target: Mapped[str] = mapped_column(String(300))
    conversation_id: Mapped[str | None] = mapped_column(String(64))
    """Whose words it carries."""
    payload: Mapped[dict[str, Any]] = mapped_column(JSON)
    progress: Mapped[dict[str, Any]] = mapped_column(JSON)
    attempts: Mapped[int] = mapped_column(Integer)
    """Deliveries begun: counted when a letter is claimed, so that one that kills its process comes to an end too."""
    next_at: Mapped[float] = mapped_column(Double)
    claim: Mapped[str | None] = mapped_column(String(32))
    """Made by whoever delivers it now; only the holder may say how it went."""
    claimed_until: Mapped[float | None] = mapped_column(Double)
    """After this the holder has died, and the letter is anybody's again."""
    done_at: Mapped[float | None] = mapped_column(Double)
    dead: Mapped[bool] = mapped_column(Boolean)
    error: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[float] = mapped_column(Double)
