"""Conversations, what they rested on, and the people who take them over."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "audit",
        sa.Column("tenant", sa.String(length=64), nullable=False),
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("user_id", sa.String(length=32), nullable=True),
        sa.Column("action", sa.String(length=40), nullable=False),
        sa.Column("target", sa.String(length=254), nullable=True),
        sa.Column("detail", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "id"),
    )
    op.create_index("ix_audit_at", "audit", ["tenant", "action", "at"], unique=False)
    op.create_table(
        "canned",
        sa.Column("tenant", sa.String(length=64), nullable=False),
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("title", sa.String(length=120), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "id"),
    )
    op.create_table(
        "conversations",
        sa.Column("tenant", sa.String(length=64), nullable=False),
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("visitor_id", sa.String(length=64), nullable=True),
        sa.Column("lang", sa.String(length=35), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("owner", sa.String(length=32), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("told_generation", sa.Integer(), nullable=False),
        sa.Column("last_seq", sa.Integer(), nullable=False),
        sa.Column("reference", sa.String(length=16), nullable=True),
        sa.Column("handoff_turn_id", sa.String(length=36), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("label", sa.String(length=20), nullable=True),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("last_text", sa.Text(), nullable=False),
        sa.Column("last_author", sa.String(length=12), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("updated_at", sa.Double(), nullable=False),
        sa.Column("queued_at", sa.Double(), nullable=True),
        sa.Column("taken_at", sa.Double(), nullable=True),
        sa.Column("first_response_at", sa.Double(), nullable=True),
        sa.Column("resolved_at", sa.Double(), nullable=True),
        sa.Column("resolve_cause", sa.String(length=60), nullable=True),
        sa.Column("csat", sa.Integer(), nullable=True),
        sa.Column("csat_comment", sa.Text(), nullable=True),
        sa.Column("context", sa.JSON(), nullable=False),
        sa.Column("email", sa.String(length=254), nullable=True),
        sa.Column("visitor_read_seq", sa.Integer(), nullable=False),
        sa.Column("agent_read_seq", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "id"),
        sa.UniqueConstraint("tenant", "reference", name="one_conversation_per_reference"),
    )
    op.create_index("ix_conversations_queue", "conversations", ["tenant", "state", "queued_at"], unique=False)
    op.create_index("ix_conversations_updated", "conversations", ["tenant", "updated_at"], unique=False)
    op.create_index("ix_conversations_visitor", "conversations", ["tenant", "visitor_id"], unique=False)
    op.create_table(
        "feedback",
        sa.Column("tenant", sa.String(length=64), nullable=False),
        sa.Column("turn_id", sa.String(length=36), nullable=False),
        sa.Column("conversation_id", sa.String(length=64), nullable=False),
        sa.Column("rating", sa.String(length=4), nullable=False),
        sa.Column("reason", sa.String(length=20), nullable=True),
        sa.Column("comment", sa.Text(), nullable=True),
        sa.Column("at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "turn_id"),
    )
    op.create_index("ix_feedback_at", "feedback", ["tenant", "at"], unique=False)
    op.create_index(op.f("ix_feedback_conversation_id"), "feedback", ["conversation_id"], unique=False)
    op.create_table(
        "messages",
        sa.Column("tenant", sa.String(length=64), nullable=False),
        sa.Column("conversation_id", sa.String(length=64), nullable=False),
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("id", sa.String(length=80), nullable=False),
        sa.Column("author", sa.String(length=12), nullable=False),
        sa.Column("user_id", sa.String(length=32), nullable=True),
        sa.Column("name", sa.String(length=100), nullable=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("turn_id", sa.String(length=36), nullable=True),
        sa.Column("meta", sa.JSON(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "conversation_id", "seq"),
        sa.UniqueConstraint("tenant", "conversation_id", "id", name="one_message_per_id"),
    )
    op.create_table(
        "notes",
        sa.Column("tenant", sa.String(length=64), nullable=False),
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("conversation_id", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=32), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "id"),
    )
    op.create_index("ix_notes_conversation", "notes", ["tenant", "conversation_id"], unique=False)
    op.create_table(
        "sessions",
        sa.Column("tenant", sa.String(length=64), nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=32), nullable=False),
        sa.Column("csrf", sa.String(length=64), nullable=False),
        sa.Column("expires_at", sa.Double(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "token_hash"),
    )
    op.create_index(op.f("ix_sessions_user_id"), "sessions", ["user_id"], unique=False)
    op.create_table(
        "turn_evidence",
        sa.Column("tenant", sa.String(length=64), nullable=False),
        sa.Column("turn_id", sa.String(length=36), nullable=False),
        sa.Column("conversation_id", sa.String(length=64), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("routing", sa.String(length=24), nullable=False),
        sa.Column("label", sa.String(length=20), nullable=False),
        sa.Column("refusal_reason", sa.String(length=40), nullable=True),
        sa.Column("confidence", sa.Double(), nullable=False),
        sa.Column("passages", sa.JSON(), nullable=False),
        sa.Column("claims", sa.JSON(), nullable=False),
        sa.Column("meta", sa.JSON(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "turn_id"),
    )
    op.create_index("ix_turn_evidence_at", "turn_evidence", ["tenant", "at"], unique=False)
    op.create_index("ix_turn_evidence_conversation", "turn_evidence", ["tenant", "conversation_id"], unique=False)
    op.create_table(
        "unanswered",
        sa.Column("tenant", sa.String(length=64), nullable=False),
        sa.Column("turn_id", sa.String(length=36), nullable=False),
        sa.Column("conversation_id", sa.String(length=64), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("reason", sa.String(length=40), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "turn_id"),
    )
    op.create_index("ix_unanswered_at", "unanswered", ["tenant", "at"], unique=False)
    op.create_index(op.f("ix_unanswered_conversation_id"), "unanswered", ["conversation_id"], unique=False)
    op.create_table(
        "users",
        sa.Column("tenant", sa.String(length=64), nullable=False),
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("email", sa.String(length=254), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=False),
        sa.Column("role", sa.String(length=8), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "id"),
        sa.UniqueConstraint("tenant", "email", name="one_user_per_email"),
    )


def downgrade() -> None:
    for table in [
        "audit",
        "canned",
        "conversations",
        "feedback",
        "messages",
        "notes",
        "sessions",
        "turn_evidence",
        "unanswered",
        "users",
    ]:
        op.drop_table(table)
