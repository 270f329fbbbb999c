"""`handrail drift golden` with the local models over the sample help centre."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from handrail.cli.app import app
from tests.scripted_openai import Says, ScriptedOpenAI

pytestmark = pytest.mark.models

ROWS = [
    {"id": "password", "question": "How do I reset my password?", "expected_articles": ["account:reset-your-password"]},
    {"id": "elsewhere", "question": "How do I reset my password?", "expected_articles": ["store:gift-cards"]},
    {"id": "unknown", "question": "Which runway lights does the airfield have?"},
]


@pytest.fixture
def data(sample_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "data"
    shutil.copytree(sample_index, folder)
    monkeypatch.setenv("HANDRAIL__STORAGE__DATA_DIR", str(folder))
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "LANGFUSE_PUBLIC_KEY", "CHROMA_URL", "DATABASE_URL"):
        monkeypatch.setenv(name, "")
    (tmp_path / "golden.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return folder


def golden(data: Path, *options: str, answers: str | None = None, **environment: str) -> Result:
    file = str(data.parent / "golden.jsonl")
    return CliRunner().invoke(app, ["drift", "golden", file, *options], env=environment, input=answers)


def count(data: Path, table: str) -> int:
    with sqlite3.connect(data / "handrail.sqlite") as connection:
        (found,) = connection.execute(f"SELECT count(*) FROM {table}").fetchone()  # noqa: S608 - names of this file
    return int(found)


def test_the_set_is_asked_today_graded_and_drawn_with_the_others(data: Path, llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(Says({"unsupported": [], "faithfulness": 5, "relevancy": 4}))
    judge = {"HANDRAIL__JUDGE__BASE_URL": llm_provider.url, "HANDRAIL__JUDGE__MODEL": "wise"}

    told = [json.loads(golden(data, "--json", **judge).stdout) for _ in range(2)][1]

    rows: dict[str, Any] = {row["id"]: row for row in told["rows"]}
    assert (rows["password"]["grade"], rows["elsewhere"]["grade"], rows["unknown"]["grade"]) == (4, 2, 1)
    assert len(llm_provider.requests) == 1, "the same question and answer are rated once"
    shown = json.loads(CliRunner().invoke(app, ["drift", "show", "--json"]).stdout)
    (point,) = shown["points"]
    assert (point["sample"], point["by"], point["n"]) == ("golden", "judge", 3)
    assert count(data, "conversations") == count(data, "turn_evidence") == count(data, "turn_traces") == 0


def test_a_person_grades_in_the_terminal(data: Path) -> None:
    result = golden(data, "--by-hand", answers="5\n9\n3\n1\n")

    assert result.exit_code == 0
    assert "mean 3.00, n 3" in result.stdout
    assert "Reset" in result.stdout
