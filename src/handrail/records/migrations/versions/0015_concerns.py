"""Why an agent should look at a conversation that the assistant holds, and how soon."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("conversations", sa.Column("concern", sa.String(16)))
    op.add_column("conversations", sa.Column("concern_turn_id", sa.String(36)))
    op.add_column("conversations", sa.Column("priority", sa.Integer(), nullable=False, server_default="0"))
    # Of every tenant.
    op.execute(
        "UPDATE conversations SET concern = 'high_stakes', priority = 2 WHERE tenant <> '' AND label = 'high_stakes'"
    )
    op.execute(
        "UPDATE conversations SET concern = 'unanswered', priority = 1 WHERE concern IS NULL AND 2 <= ("
        "SELECT count(*) FROM unanswered WHERE unanswered.tenant = conversations.tenant "
        "AND unanswered.conversation_id = conversations.id)"
    )


def downgrade() -> None:
    op.drop_column("conversations", "priority")
    op.drop_column("conversations", "concern_turn_id")
    op.drop_column("conversations", "concern")
