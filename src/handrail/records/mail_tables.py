"""The tables behind e-mail to visitors; see `tables` for what all rows share."""

from __future__ import annotations

from sqlalchemy import Double, Integer, String
from sqlalchemy.orm import Mapped, mapped_column

from handrail.records.tables import Base


class MailConfirmationRow(Base):
    """An address that somebody named in a conversation, and whether its owner has shown the code sent there."""

    __tablename__ = "mail_confirmations"

    tenant: Mapped[str] = mapped_column(String(64), primary_key=True)
    conversation_id: Mapped[str] = mapped_column(String(64), primary_key=True)
    address: Mapped[str] = mapped_column(String(64), primary_key=True)
    """A keyed hash: the address itself is not kept."""
    code: Mapped[str] = mapped_column(String(64))
    """A keyed hash of the latest code."""
    tries: Mapped[int] = mapped_column(Integer)
    """Wrong codes that may still be entered."""
    expires_at: Mapped[float] = mapped_column(Double)
    confirmed_at: Mapped[float | None] = mapped_column(Double)


class MailCountRow(Base):
    """How many e-mails of a kind went out on a UTC day, for one of those they are bounded for."""

    __tablename__ = "mail_counts"

    tenant: Mapped[str] = mapped_column(String(64), primary_key=True)
    day: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    scope: Mapped[str] = mapped_column(String(32), primary_key=True)
    key: Mapped[str] = mapped_column(String(64), primary_key=True)
    """A keyed hash of who or what is counted."""
    sent: Mapped[int] = mapped_column(Integer)
