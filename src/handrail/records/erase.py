"""All records of a tenant, in every table."""

from __future__ import annotations

from sqlalchemy import delete

from handrail.records import access_tables, desk_tables, learning_tables, mail_tables, outbox_table, trace_table  # noqa: F401
from handrail.records.database import Database
from handrail.records.tables import Base


async def erase_tenant(database: Database) -> None:
    """Of the tenant that `database` is for. Raises RecordsUnavailable."""
    async with database.transaction() as session:
        for table in Base.metadata.sorted_tables:
            await session.execute(delete(table).where(table.c.tenant == database.tenant))
