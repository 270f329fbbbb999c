"""How good answers were, from 1 to 5."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "gradings",
        sa.Column("tenant", sa.String(64), primary_key=True),
        sa.Column("sample", sa.String(12), primary_key=True),
        sa.Column("item_id", sa.String(180), primary_key=True),
        sa.Column("day", sa.String(10), primary_key=True),
        sa.Column("by", sa.String(8), primary_key=True),
        sa.Column("grade", sa.Integer(), nullable=True),
        sa.Column("who", sa.String(120), nullable=False),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("kb", sa.String(64), nullable=False),
        sa.Column("conversation_id", sa.String(64), nullable=True),
        sa.Column("at", sa.Double(), nullable=False),
    )
    op.create_index("ix_gradings_day", "gradings", ["tenant", "day"])
    op.create_index("ix_gradings_conversation", "gradings", ["tenant", "conversation_id"])


def downgrade() -> None:
    op.drop_table("gradings")
