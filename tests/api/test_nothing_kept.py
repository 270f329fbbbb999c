"""Nothing of a visitor is on record before the first message."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from tests.api.conftest import Serve


def rows(database: Path) -> dict[str, int]:
    with closing(sqlite3.connect(database)) as records:
        tables = [name for (name,) in records.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: records.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in tables}  # noqa: S608


def test_who_opens_the_chat_and_leaves_is_nowhere_on_record(serve: Serve, tmp_path: Path) -> None:
    database = tmp_path / "records.db"
    client = serve(storage={"database_url": f"sqlite+aiosqlite:///{database}"})
    before = rows(database)

    client.get("/config?widget=pub_demo&lang=de", headers={"Referer": "https://shop.example/secret-page"})
    token = client.post("/visitor", json={"context": {"email": "jo@example.com"}}).json()["token"]
    headers = {"Authorization": f"Bearer {token}"}
    client.get("/widget/v1/widget.js")
    client.get("/conversations/c-1", headers=headers)
    opened = rows(database)
    client.post("/ask", json={"question": "How?", "conversation_id": "c-1"}, headers=headers)

    assert opened == before
    assert rows(database) != before, "a message is"
