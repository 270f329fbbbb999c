"""Users whom a provider of accounts vouches for."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("users", sa.Column("subject", sa.String(64)))
    op.create_index("one_user_per_subject", "users", ["tenant", "subject"], unique=True)


def downgrade() -> None:
    op.drop_index("one_user_per_subject", "users")
    op.drop_column("users", "subject")
