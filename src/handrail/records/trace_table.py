"""The table of traces: how each turn came about; see `tables` for what all rows share."""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, Double, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from handrail.records.tables import Base


class TraceRow(Base):
    __tablename__ = "turn_traces"
    __table_args__ = (
        Index("ix_turn_traces_turn", "tenant", "turn_id"),
        Index("ix_turn_traces_conversation", "tenant", "conversation_id"),
        Index("ix_turn_traces_at", "tenant", "at"),
    )

    tenant: Mapped[str] = mapped_column(String(64), primary_key=True)
    trace_id: Mapped[str] = mapped_column(String(32), primary_key=True)
    turn_id: Mapped[str] = mapped_column(String(36))
    conversation_id: Mapped[str] = mapped_column(String(64))
    kb: Mapped[str] = mapped_column(String(64))
    routing: Mapped[str] = mapped_column(String(24))
    trace: Mapped[dict[str, Any]] = mapped_column(JSON)
    """As `observe.trace` makes it, redacted."""
    at: Mapped[float] = mapped_column(Double)
