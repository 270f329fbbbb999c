"""Bringing the tables up to date with the numbered files in `migrations/versions`."""

from __future__ import annotations

from enum import Enum, auto
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from handrail.errors import PermanentError

MIGRATIONS = Path(__file__).parent / "migrations"
ADVISORY_LOCK = 4_841_647_201


class Tables(Enum):
    """How the tables of a database stand to this version of Handrail."""

    CURRENT = auto()
    MISSING = auto()
    OLDER = auto()
    NEWER = auto()


def tables(connection: Connection) -> Tables:
    """Changes nothing."""
    there = set(MigrationContext.configure(connection).get_current_heads())
    if not there:
        return Tables.MISSING
    if not there <= revisions():
        return Tables.NEWER
    return Tables.CURRENT if there == set(ScriptDirectory(str(MIGRATIONS)).get_heads()) else Tables.OLDER


def revisions() -> set[str]:
    """Those that this version knows; tables of another were made by a newer one."""
    return {script.revision for script in ScriptDirectory(str(MIGRATIONS)).walk_revisions()}


def upgrade(connection: Connection) -> None:
    """Run inside the caller's transaction, one process after the other; the others then find nothing left to do.

    Raises PermanentError for tables that a newer version made.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": ADVISORY_LOCK})
    if not set(MigrationContext.configure(connection).get_current_heads()) <= revisions():
        raise PermanentError("the records were made by a newer Handrail: upgrade this one, or restore an older backup")
    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    command.upgrade(config, "head")
