"""One-time codes of the desk's users."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "second_factors",
        sa.Column("tenant", sa.String(64), primary_key=True),
        sa.Column("user_id", sa.String(32), primary_key=True),
        sa.Column("secret", sa.String(64), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("last_step", sa.Integer(), nullable=False),
        sa.Column("recovery", sa.JSON(), nullable=False),
    )


def downgrade() -> None:
    op.drop_table("second_factors")
