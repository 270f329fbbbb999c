"""Letters that have to leave the house."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "outbox",
        sa.Column("tenant", sa.String(64), primary_key=True),
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("channel", sa.String(20), nullable=False),
        sa.Column("target", sa.String(300), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("progress", sa.JSON(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("next_at", sa.Double(), nullable=False),
        sa.Column("claim", sa.String(32)),
        sa.Column("claimed_until", sa.Double()),
        sa.Column("done_at", sa.Double()),
        sa.Column("dead", sa.Boolean(), nullable=False),
        sa.Column("error", sa.Text()),
        sa.Column("created_at", sa.Double(), nullable=False),
    )
    op.create_index("ix_outbox_due", "outbox", ["tenant", "done_at", "dead", "next_at"])


def downgrade() -> None:
    op.drop_table("outbox")
