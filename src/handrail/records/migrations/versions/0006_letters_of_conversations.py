"""Letters name the conversation they are about, so that they are deleted with it."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("outbox", sa.Column("conversation_id", sa.String(64)))
    op.create_index("ix_outbox_conversation", "outbox", ["tenant", "conversation_id"])


def downgrade() -> None:
    op.drop_index("ix_outbox_conversation", "outbox")
    op.drop_column("outbox", "conversation_id")
