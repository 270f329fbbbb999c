"""The latest exchange of each visitor's token."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "visitor_tokens",
        sa.Column("tenant", sa.String(64), primary_key=True),
        sa.Column("visitor", sa.String(64), primary_key=True),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("exchanged_at", sa.Double(), nullable=False),
    )
    op.create_index("ix_visitor_tokens_exchanged", "visitor_tokens", ["tenant", "exchanged_at"])


def downgrade() -> None:
    op.drop_table("visitor_tokens")
