"""What is wrong with a database, in words that say what to do and quote neither a statement nor a value."""

from __future__ import annotations

from collections.abc import Mapping

_FULL = "the database's disk is full. Free some space"
_READ_ONLY = "the database can only be read. Check who may write to it, and that its disk isn't mounted read-only"
_REFUSED = "the database refuses the user or the password in storage.database_url (DATABASE_URL)"
AWAY = "the database doesn't respond"

_SQLITE: Mapping[str, str] = {
    "SQLITE_FULL": _FULL,
    "SQLITE_READONLY": _READ_ONLY,
    "SQLITE_IOERR": "the database's file can't be read or written. Check its disk",
    "SQLITE_CANTOPEN": "the database's file can't be opened. Check that storage.data_dir is there and writable",
    "SQLITE_BUSY": "the database is locked by another process",
    "SQLITE_CORRUPT": "the database's file is damaged. Restore a backup",
    "SQLITE_NOTADB": "the database's file isn't a SQLite database",
}
"""By the beginning of SQLite's own names of errors."""
_STATES: Mapping[str, str] = {
    "53100": _FULL,
    "25006": _READ_ONLY,
    "53300": "the database takes no more connections. Raise its limit",
    "28000": _REFUSED,
    "28P01": _REFUSED,
    "42501": "the database's user may not read or write its tables. Give the user the rights",
    "3D000": "the database in storage.database_url (DATABASE_URL) doesn't exist",
}
"""By the states of the SQL standard and of PostgreSQL."""


def trouble_of(error: BaseException) -> str:
    """A sentence without its full stop."""
    original = getattr(error, "orig", None) or error
    name = str(getattr(original, "sqlite_errorname", "") or "")
    state = str(getattr(original, "sqlstate", "") or "")
    by_name = next((says for beginning, says in _SQLITE.items() if name.startswith(beginning)), None)
    return by_name or _STATES.get(state) or f"{AWAY} ({type(original).__name__})"
