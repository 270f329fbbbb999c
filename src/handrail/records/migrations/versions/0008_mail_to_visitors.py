"""Confirmed addresses and counts of e-mail to visitors; what clients said of the past is the visitor's own word."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

CLAIMED = "Said by the visitor, not recorded by us: "


def upgrade() -> None:
    op.create_table(
        "mail_confirmations",
        sa.Column("tenant", sa.String(64), primary_key=True),
        sa.Column("conversation_id", sa.String(64), primary_key=True),
        sa.Column("address", sa.String(64), primary_key=True),
        sa.Column("code", sa.String(64), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("expires_at", sa.Double(), nullable=False),
        sa.Column("confirmed_at", sa.Double()),
    )
    op.create_table(
        "mail_counts",
        sa.Column("tenant", sa.String(64), primary_key=True),
        sa.Column("day", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("scope", sa.String(32), primary_key=True),
        sa.Column("key", sa.String(64), primary_key=True),
        sa.Column("sent", sa.Integer(), nullable=False),
    )
    # Earlier versions stored what a request for a person said of the past as messages `before-N` of both sides.
    messages = sa.table(
        "messages", *(sa.column(name) for name in ("tenant", "id", "author", "turn_id", "user_id", "text"))
    )
    everybodys = messages.c.tenant != ""
    claimed = messages.c.id.like("before-%") & messages.c.turn_id.is_(None) & messages.c.user_id.is_(None)
    op.execute(
        messages.update()
        .where(everybodys & claimed & (messages.c.author == "assistant"))
        .values(author="visitor", text=sa.literal(CLAIMED).concat(messages.c.text))
    )


def downgrade() -> None:
    op.drop_table("mail_counts")
    op.drop_table("mail_confirmations")
