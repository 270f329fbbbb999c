"""Since when the assistant is paused, and by whom."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "pauses",
        sa.Column("tenant", sa.String(64), primary_key=True),
        sa.Column("since", sa.Double(), nullable=False),
        sa.Column("user_id", sa.String(32)),
    )


def downgrade() -> None:
    op.drop_table("pauses")
