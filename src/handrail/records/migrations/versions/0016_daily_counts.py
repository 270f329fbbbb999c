"""What was used of a day's limits and budgets."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "daily_counts",
        sa.Column("tenant", sa.String(64), primary_key=True),
        sa.Column("day", sa.Integer(), primary_key=True),
        sa.Column("scope", sa.String(32), primary_key=True),
        sa.Column("who", sa.String(32), primary_key=True),
        sa.Column("used", sa.BigInteger(), nullable=False),
        sa.Column("held", sa.BigInteger(), nullable=False),
    )


def downgrade() -> None:
    op.drop_table("daily_counts")
