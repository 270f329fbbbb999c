"""Figures of turns for reports, embeddings of questions, evaluation cases and drafts of articles."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0002"


def upgrade() -> None:
    op.create_index("ix_conversations_created", "conversations", ["tenant", "created_at"])
    op.create_index("ix_conversations_queued", "conversations", ["tenant", "queued_at"])
    op.create_index("ix_conversations_resolved", "conversations", ["tenant", "resolved_at", "csat"])
    _facts()
    _learning()


def downgrade() -> None:
    for table in ("article_drafts", "eval_cases", "question_vectors", "cited_articles", "turn_facts"):
        op.drop_table(table)
    for name in ("resolved", "queued", "created"):
        op.drop_index(f"ix_conversations_{name}", "conversations")


def _facts() -> None:
    op.create_table(
        "turn_facts",
        sa.Column("tenant", sa.String(64), primary_key=True),
        sa.Column("turn_id", sa.String(36), primary_key=True),
        sa.Column("conversation_id", sa.String(64), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("routing", sa.String(24), nullable=False),
        sa.Column("label", sa.String(20), nullable=False),
        sa.Column("refusal_reason", sa.String(40)),
        sa.Column("cost_usd", sa.Double(), nullable=False),
        sa.Column("input_tokens", sa.Integer(), nullable=False),
        sa.Column("output_tokens", sa.Integer(), nullable=False),
    )
    covering = ("tenant", "at", "routing", "label", "refusal_reason", "cost_usd", "input_tokens", "output_tokens")
    op.create_index("ix_turn_facts_at", "turn_facts", list(covering))
    op.create_index("ix_turn_facts_conversation", "turn_facts", ["tenant", "conversation_id", "at"])
    op.create_table(
        "cited_articles",
        sa.Column("tenant", sa.String(64), primary_key=True),
        sa.Column("turn_id", sa.String(36), primary_key=True),
        sa.Column("article_id", sa.String(200), primary_key=True),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
    )
    op.create_index("ix_cited_articles_at", "cited_articles", ["tenant", "at", "article_id"])
    op.create_index("ix_cited_articles_article", "cited_articles", ["tenant", "article_id"])


def _learning() -> None:
    op.create_table(
        "question_vectors",
        sa.Column("tenant", sa.String(64), primary_key=True),
        sa.Column("embedder", sa.String(120), primary_key=True),
        sa.Column("digest", sa.String(64), primary_key=True),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
        sa.Column("used_at", sa.Double(), nullable=False),
    )
    op.create_table(
        "eval_cases",
        sa.Column("tenant", sa.String(64), primary_key=True),
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("format", sa.String(12), nullable=False),
        sa.Column("status", sa.String(12), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("lang", sa.String(35)),
        sa.Column("should_refuse", sa.Boolean()),
        sa.Column("article_ids", sa.JSON(), nullable=False),
        sa.Column("source", sa.String(12), nullable=False),
        sa.Column("why", sa.Text()),
        sa.Column("turn_id", sa.String(36)),
        sa.Column("conversation_id", sa.String(64)),
        sa.Column("created_by", sa.String(32)),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("updated_at", sa.Double(), nullable=False),
        sa.UniqueConstraint("tenant", "turn_id", "format", name="one_case_per_turn_and_format"),
    )
    op.create_index("ix_eval_cases_created", "eval_cases", ["tenant", "created_at"])
    op.create_index("ix_eval_cases_conversation_id", "eval_cases", ["conversation_id"])
    op.create_table(
        "article_drafts",
        sa.Column("tenant", sa.String(64), primary_key=True),
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("conversation_id", sa.String(64)),
        sa.Column("status", sa.String(12), nullable=False),
        sa.Column("machine_made", sa.Boolean(), nullable=False),
        sa.Column("made_by", sa.String(60), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("lang", sa.String(35), nullable=False),
        sa.Column("article_id", sa.String(200)),
        sa.Column("indexed", sa.Boolean(), nullable=False),
        sa.Column("created_by", sa.String(32)),
        sa.Column("edited_by", sa.String(32)),
        sa.Column("decided_by", sa.String(32)),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("updated_at", sa.Double(), nullable=False),
        sa.Column("decided_at", sa.Double()),
        sa.Column("detail", sa.JSON(), nullable=False),
    )
    op.create_index("ix_article_drafts_created", "article_drafts", ["tenant", "created_at"])
    op.create_index("ix_article_drafts_conversation_id", "article_drafts", ["conversation_id"])
