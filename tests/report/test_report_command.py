"""`handrail report` with the local models over the sample help centre, with a scripted language model and without."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from handrail.cli.app import app
from handrail.errors import PermanentError
from handrail.settings import WELL_KNOWN
from tests.scripted_openai import Fails, Says, ScriptedOpenAI

TEMPLATE = """\
# State of the help centre

## Payouts

- When are payouts sent?
- What is the smallest payout?

## Passwords

How do I reset a forgotten password?

## Aviation

- Which runway lights does the airfield have?
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder with a template, and no settings but those of a test."""
    for name in [name for name in os.environ if name in WELL_KNOWN or name.startswith("HANDRAIL_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "template.md").write_text(TEMPLATE)
    return tmp_path


@pytest.fixture
def data(sample_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "data"
    shutil.copytree(sample_index, folder)
    monkeypatch.setenv("HANDRAIL__STORAGE__DATA_DIR", str(folder))
    return folder


def run(*arguments: str, env: Mapping[str, str] | None = None) -> Result:
    result = CliRunner().invoke(app, ["report", *arguments], env=env)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "name a template"),
        (("none.md",), "none.md can't be read"),
        (("template.md", "--out", "report.pdf"), "must end in .md, .html, .docx or .json"),
        (("template.md", "--out", "nowhere/report.md"), "no folder nowhere. Create it first"),
        (("template.md", "--out", "template.md"), "is the template"),
    ],
)
def test_what_cannot_be_done_is_said_before_models_are_loaded(arguments: tuple[str, ...], told: str) -> None:
    with pytest.raises(PermanentError, match=told):
        run(*arguments)


def test_the_sample_template_is_printed() -> None:
    assert run("--sample").stdout.startswith("# Monthly state of the help centre\n")


@pytest.mark.models
@pytest.mark.slow
@pytest.mark.usefixtures("data")
class TestWithModels:
    def test_articles_are_quoted_gaps_are_stated_and_the_second_run_reads_what_is_finished(self, here: Path) -> None:
        first = run("template.md", "--json")
        second = run("template.md", "--out", "report.html")
        third = run("template.md", "--out", "report.docx", "--fresh")

        assert (first.exit_code, second.exit_code, third.exit_code) == (0, 0, 0)
        told = json.loads(first.stdout)
        payouts, passwords, aviation = told["sections"]
        assert (payouts["how"], passwords["how"], aviation["how"]) == ("quoted", "quoted", "insufficient")
        assert "Payouts are sent every 2 business days." in payouts["text"]
        assert "Forgotten your password?" in passwords["text"]
        assert aviation["text"] == "[INSUFFICIENT DATA]"
        assert [row["index"] for row in told["sources"]] == list(range(1, len(told["sources"]) + 1))
        assert "Aviation" in [row["section"] for row in told["gaps"]]
        assert "When are payouts sent?" not in json.dumps(told["gaps"])
        assert "3 of 3 sections are finished" in second.stderr
        assert "are finished" not in third.stderr
        assert "Payouts are sent every 2 business days." in (here / "report.html").read_text()
        assert (here / "report.docx").read_bytes().startswith(b"PK")

    def test_a_model_writes_claims_are_checked_and_what_the_text_lacks_is_listed(
        self, llm_provider: ScriptedOpenAI
    ) -> None:
        env = {"OPENAI_BASE_URL": llm_provider.url, "HANDRAIL__VERIFY__LLM": "off"}
        wrong = "Payouts are sent on the first Tuesday of each quarter."
        claims = [
            {"text": "Payouts are sent every 2 business days.", "passage_ids": ["1"]},
            {"text": wrong, "passage_ids": ["1"]},
        ]
        llm_provider.script(Says({"claims": claims, "answered": "partly"}), Says({"claims": [], "answered": "cannot"}))

        result = run("template.md", "--json", env=env)

        assert result.exit_code == 0, result.stderr
        told = json.loads(result.stdout)
        payouts = told["sections"][0]
        assert payouts["how"] == "written"
        assert "Payouts are sent every 2 business days" in payouts["text"]
        assert wrong.rstrip(".") not in payouts["text"]
        answered = {one["text"]: one["answered"] for one in payouts["asked"]}
        assert answered == {"When are payouts sent?": True, "What is the smallest payout?": False}
        assert [section["text"] for section in told["sections"][1:]] == ["[INSUFFICIENT DATA]"] * 2

    def test_a_provider_that_is_away_leaves_quotes_marks_and_exit_code_3(self, llm_provider: ScriptedOpenAI) -> None:
        env = {"OPENAI_BASE_URL": llm_provider.url, "HANDRAIL__LLM__RETRIES": "0"}
        llm_provider.script(Fails(401))

        result = run("template.md", env=env)

        assert result.exit_code == 3
        assert "[NOT WRITTEN]" in result.stdout
        assert "OPENAI_API_KEY was refused" in result.stderr
        assert "Payouts are sent every 2 business days." in result.stdout
        assert "Run the same command again" in result.stderr
