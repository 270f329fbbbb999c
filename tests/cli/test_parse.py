"""The stages of an ingest, each by itself on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from handrail.cli.app import app

ARTICLE = """# Stamps

## Buy stamps

1. Open **Shop**.
2. Choose a sheet.

| Sheet | Price |
| --- | --- |
| Ten | 9 euros |
| Twenty | 17 euros |
"""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    monkeypatch.chdir(tmp_path)
    return CliRunner()


def articles(folder: Path) -> Path:
    (folder / "help").mkdir()
    (folder / "help" / "stamps.md").write_text(ARTICLE)
    (folder / "help" / "draft.md").write_text("---\ndraft: true\n---\nNot yet.")
    return folder / "help"


@pytest.mark.models
def test_what_would_be_indexed_is_saved_as_json(run: CliRunner, tmp_path: Path) -> None:
    told = run.invoke(app, ["parse", str(articles(tmp_path)), "-o", "chunks.json"])

    assert told.exit_code == 0, told.output
    saved = json.loads((tmp_path / "chunks.json").read_text())
    assert saved["articles"] == 1
    assert list(saved["unpublished"]) == ["draft: true"]
    (chunk,) = saved["chunks"]
    assert chunk["headings"] == ["Buy stamps"]
    assert chunk["tokens"] > 10
    assert "Choose a sheet" in chunk["text"] and "17 euros" in chunk["text"]
    assert not (tmp_path / "var").exists(), "nothing is indexed"


@pytest.mark.models
def test_a_file_that_cant_be_written_is_one_line(run: CliRunner, tmp_path: Path) -> None:
    told = run.invoke(app, ["parse", str(articles(tmp_path)), "-o", "nowhere/chunks.json"])

    assert told.exit_code == 1
    assert "nowhere" in str(told.exception) and "can't be written" in str(told.exception)


@pytest.mark.models
def test_what_is_found_comes_with_the_probability_that_it_answers(run: CliRunner, tmp_path: Path) -> None:
    assert run.invoke(app, ["ingest", str(articles(tmp_path)), "--kb", "stamps"]).exit_code == 0

    told = run.invoke(app, ["retrieve", "what does a sheet of twenty cost", "--kb", "stamps", "--json"])

    assert told.exit_code == 0, told.output
    found = json.loads(told.stdout)
    assert found["chunks"][0]["article_id"] == "stamps"
    assert "17 euros" in found["chunks"][0]["text"]
    assert 0 < found["probability"] <= 1
    assert found["sections"][0]["heading"].startswith("Stamps")


@pytest.mark.models
def test_an_unknown_filter_names_those_that_exist(run: CliRunner, tmp_path: Path) -> None:
    run.invoke(app, ["ingest", str(articles(tmp_path)), "--kb", "stamps"])

    told = run.invoke(app, ["retrieve", "stamps", "--kb", "stamps", "--filter", "colour=red"])

    assert told.exit_code == 1
    assert "colour" in str(told.exception) and "tags" in str(told.exception)
