"""Pages as they were last fetched, so that the next run asks only for what has changed since."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from handrail.errors import KnowledgeError

TABLES = """
CREATE TABLE IF NOT EXISTS pages (address TEXT PRIMARY KEY, final TEXT, etag TEXT, modified TEXT, listed TEXT,
    kind TEXT, robots TEXT, body BLOB);
CREATE TABLE IF NOT EXISTS sizes (article TEXT PRIMARY KEY, characters INTEGER);
"""


@dataclass(frozen=True, slots=True)
class Fetched:
    """A page as it was served."""

    final: str
    """Address behind its redirects."""
    kind: str
    """Media type."""
    robots: str
    """What the header `X-Robots-Tag` says."""
    body: bytes
    etag: str = ""
    modified: str = ""
    listed: str = ""
    """When the site map says that it changed."""


class Kept:
    """One file for each knowledge base. Written page by page, so that an interrupted run loses nothing."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._rows = sqlite3.connect(path, isolation_level=None)
        try:
            self._rows.executescript(TABLES)
        except sqlite3.DatabaseError as error:
            self._rows.close()
            raise KnowledgeError(f"{path}: {error}; delete the file, and the next sync fetches all pages") from None
        self._used: set[str] = set()

    def page(self, address: str) -> Fetched | None:
        self._used.add(address)
        fields = "final, kind, robots, body, etag, modified, listed"
        row = self._rows.execute(f"SELECT {fields} FROM pages WHERE address = ?", (address,)).fetchone()  # noqa: S608
        if row is None:
            return None
        final, kind, robots, body, etag, modified, listed = row
        try:
            text = zlib.decompress(body)
        except zlib.error:
            return None
        return Fetched(final, kind, robots, text, etag, modified, listed)

    def keep(self, address: str, page: Fetched) -> None:
        packed = zlib.compress(page.body, 6)
        row = (address, page.final, page.etag, page.modified, page.listed, page.kind, page.robots, packed)
        self._rows.execute("INSERT OR REPLACE INTO pages VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)

    def drop_unused(self) -> None:
        """Pages that this run did not ask for; only after a run that read its sources whole."""
        gone = [row for row in self._rows.execute("SELECT address FROM pages") if row[0] not in self._used]
        self._rows.executemany("DELETE FROM pages WHERE address = ?", gone)

    def sizes(self) -> dict[str, int]:
        """Characters of each article when it was last indexed."""
        return dict(self._rows.execute("SELECT article, characters FROM sizes"))

    def keep_sizes(self, sizes: Mapping[str, int]) -> None:
        self._rows.execute("BEGIN")
        self._rows.execute("DELETE FROM sizes")
        self._rows.executemany("INSERT INTO sizes VALUES (?, ?)", sizes.items())
        self._rows.execute("COMMIT")

    def __enter__(self) -> Kept:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._rows.close()
