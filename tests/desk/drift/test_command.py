"""`handrail drift` on a database of records."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from handrail.cli.app import app
from handrail.desk.reports.period import PeriodError
from handrail.records.database import open_database
from handrail.settings import Storage
from tests.records.talks import evidence, store, talk
from tests.scripted_openai import Says, ScriptedOpenAI

PASSAGE = {"index": 1, "id": "domains:connect/2", "title": "Connect a domain", "excerpt": "Open Settings."}
CLAIM = {"text": "Open the settings [1].", "citations": [1]}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder with five answers of the last 25 hours, the first four of them on the day before today in UTC."""
    monkeypatch.setenv("HANDRAIL__STORAGE__DATA_DIR", str(tmp_path))
    monkeypatch.setenv("HANDRAIL__HOURS__TIMEZONE", "UTC")
    monkeypatch.delenv("DATABASE_URL", raising=False)
    midnight = time.time() // 86_400 * 86_400

    async def fill() -> None:
        database = await open_database(Storage(data_dir=tmp_path))
        turns = [
            evidence("a", midnight - 3600 + n, passages=[PASSAGE], claims=[CLAIM], question=f"Question {n}?")
            for n in range(4)
        ]
        await store(database, talk("a", midnight), *turns, evidence("a", midnight + 1, turn_id="today"))
        await database.close()

    asyncio.run(fill())
    return tmp_path


def drift(*arguments: str, **environment: str) -> Result:
    return CliRunner().invoke(app, ["drift", *arguments], env=environment)


def test_without_a_judge_it_says_who_grades_instead() -> None:
    result = drift("grade")

    assert result.exit_code != 0
    assert "at the desk" in str(result.exception)


def test_a_days_sample_is_graded_once_and_shown_with_its_interval(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(Says({"unsupported": [], "faithfulness": 5, "relevancy": 5}), Says(
        {"unsupported": [], "faithfulness": 5, "relevancy": 2}))  # fmt: skip
    judge = {"HANDRAIL__JUDGE__BASE_URL": llm_provider.url, "HANDRAIL__JUDGE__MODEL": "wise"}

    first, again = (json.loads(drift("grade", "--json", **judge).stdout) for _ in range(2))
    shown = json.loads(drift("show", "--json").stdout)
    printed = drift("show", "--weeks").stdout

    assert (first["n"], first["graded"], first["judge"]) == (4, 4, "wise")
    assert (again["before"], again["graded"]) == (4, 0)
    assert len(llm_provider.requests) == 4
    (point,) = shown["points"]
    assert (point["n"], point["mean"], point["sample"], point["by"]) == (4, 2.75, "production", "judge")
    assert point["low"] < 2.75 < point["high"]
    assert shown["fall"] is None
    assert "2.75" in printed and "n 4" in printed


def test_a_budget_without_prices_is_refused(llm_provider: ScriptedOpenAI) -> None:
    result = drift("grade", "--max-usd", "1", HANDRAIL__JUDGE__BASE_URL=llm_provider.url)

    assert "usd_per_million" in str(result.exception)


@pytest.mark.parametrize("day", ["tomorrow", "2026-13-01", "1 November"])
def test_a_day_that_is_none_is_refused_with_its_option(day: str) -> None:
    refused = drift("grade", "--day", day)

    assert isinstance(refused.exception, PeriodError)
    assert "--day" in str(refused.exception) and "Write it as 2026-11-01" in str(refused.exception)
