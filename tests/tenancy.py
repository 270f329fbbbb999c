"""What a test did to the records: did every statement say whose they are?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import Engine

from handrail.records import access_tables, desk_tables, learning_tables, mail_tables, outbox_table, trace_table  # noqa: F401
from handrail.records.tables import Base

OURS = re.compile(rf"\b({'|'.join(Base.metadata.tables)})\b")
TOUCHING = re.compile(r"(?i)\s*(select|insert|update|delete)\b")


@contextmanager
def statements_without_tenant() -> Iterator[list[str]]:
    """Gathers statements on our tables that do not name the tenant: as a value to insert, or as a condition."""
    found: list[str] = []

    def look(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if TOUCHING.match(statement) and OURS.search(statement):
            inserts = statement.lstrip()[:6].upper() == "INSERT"
            where = statement if inserts else statement.partition("WHERE")[2]
            if "tenant" not in where:
                found.append(statement)

    event.listen(Engine, "before_cursor_execute", look)
    try:
        yield found
    finally:
        event.remove(Engine, "before_cursor_execute", look)
