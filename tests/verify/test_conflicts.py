"""Sections of different articles that give different figures for the same thing, found with the real models."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from handrail.cli.app import app
from handrail.cli.ingest import run
from handrail.knowledge.folder import Folder
from tests.sample import CONFIG, sample_settings

pytestmark = pytest.mark.models

PAGES = {
    "fees": "# Fees for late payment\n\nWe charge a late fee of 5 % on unpaid invoices.",
    "unpaid": "# Unpaid invoices\n\nA late fee of 3 percent is added to unpaid invoices.",
    "trial": "# Free trial\n\nThe free trial lasts two weeks. Nothing is charged before it ends.",
    "start": "# Start for free\n\nThe free trial lasts 14 days. You need no card.",
    "phone": "---\naudience: agents\n---\n# Phone line\n\nThe phone line is open until 6 p.m. on weekdays.",
    "call": "# Call us\n\nOn weekdays the phone line is open until 8 p.m.",
    "old": "---\ndeprecated: true\n---\n# Images, as it was\n\nAn image may be up to 5 MB.",
    "images": "# Images\n\nAn image may be up to 20 MB.",
    "prices": "# Prices\n\n| plan | month | year |\n|---|---|---|\n| Solo | EUR 14 | EUR 140 |",
    "pots": "# Plant pots\n\nThe smallest pot holds 2 litres of soil and is made of clay.",
}


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    for name, text in PAGES.items():
        (pages / f"{name}.md").write_text(text, encoding="utf-8")
    settings = sample_settings(tmp_path / "var")
    run(settings, [Folder(pages, "https://help.example", 10_000)])
    monkeypatch.setenv("HANDRAIL_CONFIG", str(CONFIG))
    monkeypatch.setenv("HANDRAIL__STORAGE__DATA_DIR", str(tmp_path / "var"))


@pytest.mark.usefixtures("index")
def test_pairs_that_differ_in_a_figure_are_listed_and_no_others() -> None:
    """The same said in other units, what is out of force, and rows of several prices are no conflicts."""
    printed = CliRunner().invoke(app, ["kb", "conflicts", "--json"])
    one = CliRunner().invoke(app, ["kb", "conflicts", "--limit", "1"])

    rows = json.loads(printed.stdout)
    assert {frozenset((row["first"]["article"], row["second"]["article"])) for row in rows} == {
        frozenset(("fees", "unpaid")),
        frozenset(("phone", "call")),
    }
    assert [row["likeness"] for row in rows] == sorted((row["likeness"] for row in rows), reverse=True)
    assert one.stdout.count("\n  ") == 2
