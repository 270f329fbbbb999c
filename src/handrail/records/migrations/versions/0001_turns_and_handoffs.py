"""Turns and requests for a person."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "turns",
        sa.Column("tenant", sa.String(64), primary_key=True),
        sa.Column("turn_id", sa.String(36), primary_key=True),
        sa.Column("conversation_id", sa.String(64), nullable=False),
        sa.Column("running", sa.String(64)),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("response", sa.JSON()),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.UniqueConstraint("tenant", "running", name="one_turn_in_flight"),
    )
    op.create_index("ix_turns_created_at", "turns", ["created_at"])
    op.create_table(
        "handoffs",
        sa.Column("tenant", sa.String(64), primary_key=True),
        sa.Column("reference", sa.String(16), primary_key=True),
        sa.Column("conversation_id", sa.String(64)),
        sa.Column("turn_id", sa.String(36)),
        sa.Column("reason", sa.Text()),
        sa.Column("email", sa.String(254)),
        sa.Column("earlier_emails", sa.JSON(), nullable=False),
        sa.Column("message", sa.Text()),
        sa.Column("transcript", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("updated_at", sa.Double(), nullable=False),
        sa.UniqueConstraint("tenant", "conversation_id", name="one_handoff_per_conversation"),
    )
    op.create_index("ix_handoffs_created_at", "handoffs", ["created_at"])


def downgrade() -> None:
    op.drop_table("handoffs")
    op.drop_table("turns")
