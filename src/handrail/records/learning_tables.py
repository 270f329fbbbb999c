"""The tables that reports and learning read and write; see `tables` for what all rows share."""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, Boolean, Double, Index, Integer, LargeBinary, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from handrail.records.desk_tables import ConversationRow
from handrail.records.tables import Base

Index("ix_conversations_created", ConversationRow.tenant, ConversationRow.created_at)
Index("ix_conversations_queued", ConversationRow.tenant, ConversationRow.queued_at)
Index("ix_conversations_resolved", ConversationRow.tenant, ConversationRow.resolved_at, ConversationRow.csat)


NO_CONVERSATION = ""
"""In the figures of turns whose conversation was deleted."""


class TurnFactRow(Base):
    """The figures of one turn, without a word of it: narrow enough to count over, and kept when words are deleted."""

    __tablename__ = "turn_facts"
    __table_args__ = (
        Index(
            "ix_turn_facts_at",
            "tenant",
            "at",
            "routing",
            "label",
            "refusal_reason",
            "cost_usd",
            "input_tokens",
            "output_tokens",
        ),
        Index("ix_turn_facts_conversation", "tenant", "conversation_id", "at"),
    )

    tenant: Mapped[str] = mapped_column(String(64), primary_key=True)
    turn_id: Mapped[str] = mapped_column(String(36), primary_key=True)
    conversation_id: Mapped[str] = mapped_column(String(64))
    at: Mapped[float] = mapped_column(Double)
    routing: Mapped[str] = mapped_column(String(24))
    label: Mapped[str] = mapped_column(String(20))
    refusal_reason: Mapped[str | None] = mapped_column(String(40))
    cost_usd: Mapped[float] = mapped_column(Double)
    input_tokens: Mapped[int] = mapped_column(Integer)
    output_tokens: Mapped[int] = mapped_column(Integer)


class ModelUsageRow(Base):
    """What one language model took in one turn."""

    __tablename__ = "model_usage"
    __table_args__ = (Index("ix_model_usage_at", "tenant", "at"),)

    tenant: Mapped[str] = mapped_column(String(64), primary_key=True)
    turn_id: Mapped[str] = mapped_column(String(36), primary_key=True)
    model: Mapped[str] = mapped_column(String(200), primary_key=True)
    at: Mapped[float] = mapped_column(Double)
    cost_usd: Mapped[float] = mapped_column(Double)
    input_tokens: Mapped[int] = mapped_column(Integer)
    output_tokens: Mapped[int] = mapped_column(Integer)


class CitedRow(Base):
    """An article that an answer cited."""

    __tablename__ = "cited_articles"
    __table_args__ = (
        Index("ix_cited_articles_at", "tenant", "at", "article_id"),
        Index("ix_cited_articles_article", "tenant", "article_id"),
    )

    tenant: Mapped[str] = mapped_column(String(64), primary_key=True)
    turn_id: Mapped[str] = mapped_column(String(36), primary_key=True)
    article_id: Mapped[str] = mapped_column(String(200), primary_key=True)
    title: Mapped[str] = mapped_column(Text)
    url: Mapped[str] = mapped_column(Text)
    at: Mapped[float] = mapped_column(Double)


class QuestionVectorRow(Base):
    """A question's embedding, made once. The question itself is not kept here."""

    __tablename__ = "question_vectors"

    tenant: Mapped[str] = mapped_column(String(64), primary_key=True)
    embedder: Mapped[str] = mapped_column(String(120), primary_key=True)
    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    """SHA-256 of the question's words."""
    vector: Mapped[bytes] = mapped_column(LargeBinary)
    """`(d,)` float16, L2-normalised."""
    used_at: Mapped[float] = mapped_column(Double)


class EvalCaseRow(Base):
    """A question that evaluations ask again."""

    __tablename__ = "eval_cases"
    __table_args__ = (
        UniqueConstraint("tenant", "turn_id", "format", name="one_case_per_turn_and_format"),
        Index("ix_eval_cases_created", "tenant", "created_at"),
    )

    tenant: Mapped[str] = mapped_column(String(64), primary_key=True)
    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    format: Mapped[str] = mapped_column(String(12))
    """`refusal` or `retrieval`."""
    status: Mapped[str] = mapped_column(String(12))
    """`proposed` (by a thumb down), `confirmed` (by a person at the desk) or `dropped`."""
    question: Mapped[str] = mapped_column(Text)
    """Without personal data."""
    lang: Mapped[str | None] = mapped_column(String(35))
    should_refuse: Mapped[bool | None] = mapped_column(Boolean)
    article_ids: Mapped[list[str]] = mapped_column(JSON)
    source: Mapped[str] = mapped_column(String(12))
    """`thumb` or `agent`."""
    why: Mapped[str | None] = mapped_column(Text)
    turn_id: Mapped[str | None] = mapped_column(String(36))
    conversation_id: Mapped[str | None] = mapped_column(String(64), index=True)
    created_by: Mapped[str | None] = mapped_column(String(32))
    created_at: Mapped[float] = mapped_column(Double)
    updated_at: Mapped[float] = mapped_column(Double)


class ArticleDraftRow(Base):
    """An article proposed from a resolved conversation; nothing of it is indexed before a person approves it."""

    __tablename__ = "article_drafts"
    __table_args__ = (Index("ix_article_drafts_created", "tenant", "created_at"),)

    tenant: Mapped[str] = mapped_column(String(64), primary_key=True)
    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    conversation_id: Mapped[str | None] = mapped_column(String(64), index=True)
    status: Mapped[str] = mapped_column(String(12))
    """`proposed`, `approved` or `rejected`."""
    machine_made: Mapped[bool] = mapped_column(Boolean)
    """Until a person has edited or approved it."""
    made_by: Mapped[str] = mapped_column(String(60))
    """`extractive`, or the name of the model."""
    title: Mapped[str] = mapped_column(Text)
    body: Mapped[str] = mapped_column(Text)
    """Markdown."""
    lang: Mapped[str] = mapped_column(String(35))
    article_id: Mapped[str | None] = mapped_column(String(200))
    """Once it is in the knowledge folder."""
    indexed: Mapped[bool] = mapped_column(Boolean)
    created_by: Mapped[str | None] = mapped_column(String(32))
    edited_by: Mapped[str | None] = mapped_column(String(32))
    decided_by: Mapped[str | None] = mapped_column(String(32))
    created_at: Mapped[float] = mapped_column(Double)
    updated_at: Mapped[float] = mapped_column(Double)
    decided_at: Mapped[float | None] = mapped_column(Double)
    detail: Mapped[dict[str, Any]] = mapped_column(JSON)


class GradingRow(Base):
    """How good an answer was, from 1 to 5."""

    __tablename__ = "gradings"
    __table_args__ = (
        Index("ix_gradings_day", "tenant", "day"),
        Index("ix_gradings_conversation", "tenant", "conversation_id"),
    )

    tenant: Mapped[str] = mapped_column(String(64), primary_key=True)
    sample: Mapped[str] = mapped_column(String(12), primary_key=True)
    """`production`: an answer to a visitor; `golden`: to a question that is asked again and again."""
    item_id: Mapped[str] = mapped_column(String(180), primary_key=True)
    """The turn, or knowledge base and id of the golden question."""
    day: Mapped[str] = mapped_column(String(10), primary_key=True)
    """On which it was answered, such as 2026-11-28."""
    by: Mapped[str] = mapped_column(String(8), primary_key=True)
    """`judge` or `person`."""
    grade: Mapped[int | None] = mapped_column(Integer)
    """None while the judge reads it, and where the judge has failed."""
    who: Mapped[str] = mapped_column(String(120))
    """The judge's model, or the user."""
    note: Mapped[str | None] = mapped_column(Text)
    kb: Mapped[str] = mapped_column(String(64))
    conversation_id: Mapped[str | None] = mapped_column(String(64))
    at: Mapped[float] = mapped_column(Double)
