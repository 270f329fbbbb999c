"""`handrail desk export`, `delete` and `retention` on a database of records."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from handrail.cli import app
from handrail.records.conversations import ConversationRecords, Entry, NewMessage
from handrail.records.database import open_database
from handrail.settings import Storage


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder with a conversation of long ago."""
    monkeypatch.setenv("HANDRAIL__STORAGE__DATA_DIR", str(tmp_path))
    monkeypatch.delenv("DATABASE_URL", raising=False)

    async def talk() -> None:
        database = await open_database(Storage(data_dir=tmp_path))
        said = NewMessage("m-1", "visitor", "Where is my order?")
        await ConversationRecords(database, "default").begin(Entry("t-1", "v-1"), said, 1000.0)
        await database.close()

    asyncio.run(talk())
    return tmp_path


def handrail(*arguments: str, **environment: str) -> Result:
    return CliRunner().invoke(app, ["desk", *arguments], env=environment)


def exported() -> list[dict[str, list[dict[str, str]]]]:
    found: list[dict[str, list[dict[str, str]]]] = json.loads(handrail("export", "v-1").stdout)["conversations"]
    return found


def test_export_prints_what_a_visitor_wrote() -> None:
    assert [row["text"] for row in exported()[0]["messages"]] == ["Where is my order?"]


def test_delete_asks_first_and_then_leaves_nothing() -> None:
    assert handrail("delete", "v-1").exit_code == 1
    assert len(exported()) == 1

    assert handrail("delete", "v-1", "--yes").exit_code == 0
    assert exported() == []


@pytest.mark.parametrize(("days", "left"), [("0", 1), ("30", 0)])
def test_retention_deletes_what_is_older_than_the_settings_say(days: str, left: int) -> None:
    assert handrail("retention", HANDRAIL__DESK__RETENTION_DAYS=days).exit_code == 0
    assert len(exported()) == left
