"""All records of a tenant, row by row, without secrets and what only a server that runs has a use for."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from sqlalchemy import select, text

from handrail.records import access_tables, desk_tables, learning_tables, mail_tables, outbox_table, trace_table  # noqa: F401
from handrail.records.database import Database
from handrail.records.tables import Base

OF_A_SERVER = frozenset(
    {"sessions", "visitor_tokens", "mail_confirmations", "mail_counts", "daily_counts", "question_vectors"}
)
"""Tables that are left out."""
SECRETS = {
    "users": {"password_hash"},
    "api_keys": {"key_hash"},
    "second_factors": {"secret", "last_step", "recovery"},
}
"""Columns that are left out, by table."""


async def rows_of(database: Database) -> AsyncIterator[tuple[str, dict[str, Any]]]:
    """Tables and rows of the tenant that `database` is for, all as of one moment. Raises RecordsUnavailable."""
    async with database.read_session() as session:
        if session.get_bind().dialect.name == "postgresql":
            await session.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"))
        for table in Base.metadata.sorted_tables:
            if table.name in OF_A_SERVER:
                continue
            columns = [column for column in table.columns if column.name not in SECRETS.get(table.name, set())]
            found = await session.stream(select(*columns).where(table.c.tenant == database.tenant))
            async for row in found.mappings():
                yield table.name, dict(row)
