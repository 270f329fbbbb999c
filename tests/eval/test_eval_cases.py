"""Folders of articles with a question each: what must be in the answer, and what must not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from handrail.cli.app import app
from tests.eval.files import write_lines

pytestmark = [pytest.mark.models, pytest.mark.slow]

ARTICLE = """---
title: Lockers
---

# Rent a locker

{% hint style="info" %}
A locker costs 4 euros a week.
{% endhint %}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, value in {"MODELS__LATE": "none", "MODELS__FOREIGN": "none"}.items():
        monkeypatch.setenv(f"HANDRAIL__{name}", value)
    cases = tmp_path / "cases"
    (cases / "site").mkdir(parents=True)
    (cases / "site" / "lockers.md").write_text(ARTICLE)
    (cases / "notes.md").write_text("# What a locker costs\n\nA locker costs 99 euros a week.\n")
    (cases / "site").chmod(0o555)
    return cases


def test_each_case_is_told_with_what_is_missing_and_what_should_not_be_there(folder: Path) -> None:
    asked = {"folder": ".", "question": "What does a locker cost?"}
    write_lines(
        folder / "expected.jsonl",
        [
            {**asked, "id": "right", "must": ["4 EUROS"], "must_not": ["{%", "99 euros"], "now": "ignored"},
            {**asked, "id": "wrong", "folder": "site", "must": ["5 euros"], "must_not": ["a week"]},
        ],
    )

    done = CliRunner().invoke(app, ["eval", "cases", str(folder), "--json"])

    right, wrong = json.loads(done.stdout)
    assert (right["id"], right["passed"], right["routing"]) == ("right", True, "answered")
    assert (wrong["passed"], wrong["missing"], wrong["present"]) == (False, ["5 euros"], ["a week"])
    assert done.exit_code == 1


@pytest.mark.parametrize("line", ["{}", "[1]", '{"id": "a", "folder": "none", "question": "Where?"}', ""])
def test_a_file_that_holds_no_usable_case_is_one_clear_line(folder: Path, line: str) -> None:
    (folder / "expected.jsonl").write_text(line)

    done = CliRunner().invoke(app, ["eval", "cases", str(folder)])

    assert done.exit_code == 1 and str(folder) in str(done.exception)
