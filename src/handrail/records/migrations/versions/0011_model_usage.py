"""What each language model took in each turn."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "model_usage",
        sa.Column("tenant", sa.String(64), primary_key=True),
        sa.Column("turn_id", sa.String(36), primary_key=True),
        sa.Column("model", sa.String(200), primary_key=True),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("cost_usd", sa.Double(), nullable=False),
        sa.Column("input_tokens", sa.Integer(), nullable=False),
        sa.Column("output_tokens", sa.Integer(), nullable=False),
    )
    op.create_index("ix_model_usage_at", "model_usage", ["tenant", "at"])


def downgrade() -> None:
    op.drop_table("model_usage")
