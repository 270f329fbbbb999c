"""What every repository has: a database and the one tenant whose rows it sees."""

from __future__ import annotations

from typing import Any, TypeVar

from sqlalchemy import Delete, Select, Update, delete, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession

from handrail.records.database import Database

Row = TypeVar("Row", bound=Any)


class Repository:
    """Statements begin with `_rows`, `_change` or `_remove`, which carry the tenant, so that none can go without."""

    def __init__(self, database: Database, tenant: str) -> None:
        if not tenant:
            raise ValueError("records need a tenant")
        self._database = database
        self._tenant = tenant

    def _rows(self, table: type[Row]) -> Select[Row]:
        return select(table).where(table.tenant == self._tenant)

    def _change(self, table: type[Any]) -> Update:
        return update(table).where(table.tenant == self._tenant).execution_options(synchronize_session=False)

    def _remove(self, table: type[Any]) -> Delete:
        return delete(table).where(table.tenant == self._tenant).execution_options(synchronize_session=False)


def insert_into(session: AsyncSession, table: type[Any]) -> postgresql.Insert | sqlite.Insert:
    """An insert that may say what becomes of rows that are there already, in the words of the session's database."""
    if session.get_bind().dialect.name == "postgresql":
        return postgresql.insert(table)
    return sqlite.insert(table)
