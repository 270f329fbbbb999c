"""How each turn came about."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "turn_traces",
        sa.Column("tenant", sa.String(64), primary_key=True),
        sa.Column("trace_id", sa.String(32), primary_key=True),
        sa.Column("turn_id", sa.String(36), nullable=False),
        sa.Column("conversation_id", sa.String(64), nullable=False),
        sa.Column("kb", sa.String(64), nullable=False),
        sa.Column("routing", sa.String(24), nullable=False),
        sa.Column("trace", sa.JSON(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
    )
    op.create_index("ix_turn_traces_turn", "turn_traces", ["tenant", "turn_id"])
    op.create_index("ix_turn_traces_conversation", "turn_traces", ["tenant", "conversation_id"])
    op.create_index("ix_turn_traces_at", "turn_traces", ["tenant", "at"])


def downgrade() -> None:
    op.drop_table("turn_traces")
