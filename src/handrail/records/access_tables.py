"""The tables behind who may do what; see `tables` for what all rows share."""

from __future__ import annotations

from sqlalchemy import JSON, BigInteger, Boolean, Double, Index, Integer, String
from sqlalchemy.orm import Mapped, mapped_column

from handrail.records.tables import Base


class VisitorTokenRow(Base):
    """The latest exchange of a visitor's token. A visitor who never exchanged one has no row."""

    __tablename__ = "visitor_tokens"
    __table_args__ = (Index("ix_visitor_tokens_exchanged", "tenant", "exchanged_at"),)

    tenant: Mapped[str] = mapped_column(String(64), primary_key=True)
    visitor: Mapped[str] = mapped_column(String(64), primary_key=True)
    """SHA-256 of the visitor's id: the row outlives the visitor's records, or old tokens would work again."""
    generation: Mapped[int] = mapped_column(Integer)
    """Of the token that counts now."""
    exchanged_at: Mapped[float] = mapped_column(Double)


class ApiKeyRow(Base):
    """What a program shows in place of a visitor's token."""

    __tablename__ = "api_keys"

    tenant: Mapped[str] = mapped_column(String(64), primary_key=True)
    id: Mapped[str] = mapped_column(String(16), primary_key=True)
    name: Mapped[str] = mapped_column(String(80))
    key_hash: Mapped[str] = mapped_column(String(64))
    """SHA-256 of the whole key, which is random enough not to be guessed from it."""
    scopes: Mapped[list[str]] = mapped_column(JSON)
    per_day: Mapped[int] = mapped_column(Integer)
    """Questions a UTC day; 0 is no bound."""
    used_day: Mapped[int] = mapped_column(Integer)
    used: Mapped[int] = mapped_column(Integer)
    """Questions on `used_day`, in days since the epoch."""
    created_at: Mapped[float] = mapped_column(Double)
    revoked_at: Mapped[float | None] = mapped_column(Double)


class SecondFactorRow(Base):
    """What a user of the desk is asked for after the password."""

    __tablename__ = "second_factors"

    tenant: Mapped[str] = mapped_column(String(64), primary_key=True)
    user_id: Mapped[str] = mapped_column(String(32), primary_key=True)
    secret: Mapped[str] = mapped_column(String(64))
    """In base 32. It can't be hashed: codes are made from it."""
    active: Mapped[bool] = mapped_column(Boolean)
    """Whether it has been confirmed with a code, and is asked for."""
    last_step: Mapped[int] = mapped_column(Integer)
    """Of the latest code that was taken, in half minutes since the epoch: no code is taken twice."""
    recovery: Mapped[list[str]] = mapped_column(JSON)
    """SHA-256 of the recovery codes that are left."""


class DailyCountRow(Base):
    """What was used of one limit or budget on one UTC day."""

    __tablename__ = "daily_counts"

    tenant: Mapped[str] = mapped_column(String(64), primary_key=True)
    day: Mapped[int] = mapped_column(Integer, primary_key=True)
    """Since the epoch."""
    scope: Mapped[str] = mapped_column(String(32), primary_key=True)
    who: Mapped[str] = mapped_column(String(32), primary_key=True)
    """A hash that changes daily of whom it is counted for; empty for everybody together."""
    used: Mapped[int] = mapped_column(BigInteger)
    """Questions, tokens, or millionths of a US dollar."""
    held: Mapped[int] = mapped_column(BigInteger)
    """What turns under way may take besides."""
