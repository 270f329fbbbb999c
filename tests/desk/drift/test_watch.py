"""A fall of the grades is told once, however many look."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from datetime import date, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from handrail.desk.drift.line import Compared
from handrail.desk.drift.watch import tell_of_fall
from handrail.desk.outbox.channels.slack import message
from handrail.records.database import Database, open_database
from handrail.records.desk_book import DeskBook
from handrail.records.gradings import FELL, GradingRecords
from handrail.records.learning_tables import GradingRow
from handrail.records.outbox import OutboxRecords
from handrail.records.reports import ReportRecords
from handrail.settings import Alerts, Storage
from tests.records.talks import store

pytestmark = pytest.mark.anyio

TODAY = date(2026, 11, 27)
ALERTS = Alerts(
    webhook_url="https://hooks.example.net/secret",
    webhook_secret="a secret of the operator",
    slack_url="https://slack.example.net/secret",
    mail_to=["team@example.net"],
    smtp_host="mail.example.net",
    mail_from="desk@example.net",
    desk_url="https://help.example.net/desk",
)


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    opened = await open_database(Storage(data_dir=tmp_path))
    yield opened
    await opened.close()


async def grade(database: Database, days: range, grades: Sequence[int]) -> None:
    """Ten answers on each day, counted back from today."""
    rows = [
        GradingRow(
            tenant="default", sample="production", item_id=f"{ago}-{n}", day=(TODAY - timedelta(ago)).isoformat(),
            by="judge", grade=grades[n % len(grades)], who="wise", kb="acme", at=0.0,
        )
        for ago in days
        for n in range(10)
    ]  # fmt: skip
    await store(database, *rows)


async def look(database: Database, day: date = TODAY) -> Compared | None:
    gradings, reports = GradingRecords(database, "default"), ReportRecords(database, "default")
    return await tell_of_fall(gradings, reports, day, ZoneInfo("UTC"), ALERTS, 1_800_000_000.0)


async def test_a_fall_is_told_once_on_every_channel_in_the_log_and_in_the_audit(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    await grade(database, range(7, 35), (4, 5))
    await grade(database, range(7), (2, 3, 4))

    with caplog.at_level(logging.WARNING):
        found = await asyncio.gather(*(look(database) for _ in range(3)))
    assert sum(one is not None for one in found) == 1
    letters = await OutboxRecords(database, "default").list()
    assert sorted(letter.channel for letter in letters) == ["mail", "slack", "webhook"]
    assert caplog.text.count("have fallen") == 1
    by_channel = {letter.channel: letter.payload for letter in letters}
    assert by_channel["webhook"]["event"] == "answers.fell" and by_channel["webhook"]["detail"]["n"] == 70
    assert "n 70" in message(by_channel["slack"]) and "#/grades|Open the desk>" in message(by_channel["slack"])
    assert "n 280" in by_channel["mail"]["text"]
    (entry,) = await DeskBook(database, "default").audit(action=FELL)
    assert entry.user_id is None


async def test_the_next_days_of_the_same_fall_say_nothing_and_the_next_fall_does(database: Database) -> None:
    await grade(database, range(60, 95), (4, 5))
    await grade(database, range(50, 60), (2, 3, 4))
    told = [day for ago in range(60, 45, -1) if await look(database, day := TODAY - timedelta(ago))]
    await grade(database, range(8, 50), (4, 5))
    await grade(database, range(8), (1, 2))
    later = [day for ago in range(45, -1, -1) if await look(database, day := TODAY - timedelta(ago))]

    assert (len(told), len(later)) == (1, 1)


async def test_a_level_line_is_not_spoken_of(database: Database) -> None:
    await grade(database, range(35), (3, 4, 5))

    assert await look(database) is None
    assert await OutboxRecords(database, "default").list() == []
