"""`handrail eval routing --companies`: each row asks the assistant of the company it names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from eval.companies import read_companies
from eval.datasets import DatasetError
from tests.eval.conftest import Evaluate
from tests.eval.files import write_lines

BAKERY = {
    "id": "crumb",
    "name": "Crumb",
    "covers": "Crumb bakes bread: orders, delivery times, allergens and standing orders.",
    "articles": [
        {"title": "Ordering a birthday cake", "text": "Order three days ahead, in the shop or by phone."},
        {"title": "Allergens in our bread", "text": "Every loaf has a card that lists them."},
        {"title": "Standing orders"},
    ],
}
GARAGE = {
    "id": "torque",
    "name": "Torque",
    "covers": "Torque repairs cars: bookings, inspections, winter tyres and courtesy cars.",
    "articles": [{"title": "Storing winter tyres", "text": "We keep them from April to October for a fee."}],
}


def row(name: str, text: str, label: str, company: str | None, lang: str = "en") -> dict[str, Any]:
    return {"id": name, "text": text, "label": label, "company": company, "lang": lang}


@pytest.mark.models
def test_each_row_is_asked_of_its_company(evaluate: Evaluate, tmp_path: Path) -> None:
    companies = write_lines(tmp_path / "companies.jsonl", [BAKERY, GARAGE])
    question = "How many days ahead do I have to order a birthday cake?"
    rows = [
        row("own", "How do I reset my password?", "answerable", None),
        row("bakery", question, "answerable", "crumb"),
        row("garage", question, "irrelevant", "torque"),
        row("again", "Welche Allergene sind im Brot?", "answerable", "crumb", "de"),
        row("stranger", "How do I reset my password?", "answerable", "nobody"),
    ]

    result = evaluate("routing", rows, "--companies", str(companies), "--json")

    assert result.exit_code == 0, result.stderr
    printed = json.loads(result.stdout)
    found = {one["id"]: one for one in printed["rows"]}
    assert list(found) == ["own", "bakery", "garage", "again", "stranger"], "in the order of the file"
    assert found["bakery"]["predicted"] == "answerable"
    assert found["bakery"]["probability"] == found["garage"]["probability"], "a label is told by the message alone"
    assert found["own"]["probability"] == found["stranger"]["probability"]
    assert "'small' was asked: nobody (1 rows)" in result.stderr
    record = json.loads((tmp_path / "runs" / f"{printed['run_id']}.json").read_text())
    assert record["companies"] == {"n": 2, "sha256": read_companies(companies).sha256}
    assert record["details"]["right"]["not English"] in ("0 of 1", "1 of 1")


@pytest.mark.models
def test_who_is_asked_needs_rows_that_say_so(evaluate: Evaluate, tmp_path: Path) -> None:
    missing = evaluate("routing", [row("a", "Hi there", "irrelevant", "crumb")], "--companies", str(tmp_path / "none"))

    assert missing.exit_code == 1
    assert "No such file" in str(missing.exception or missing.stderr)


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([BAKERY, BAKERY], "line 2: the company 'crumb' stands there twice"),
        ([{**BAKERY, "articles": []}], "line 1: articles"),
        ([{**BAKERY, "name": None}], "line 1: name"),
        (["[1, 2]"], "line 1:"),
        ([], "no companies"),
    ],
)
def test_a_file_of_companies_that_is_none_is_named(tmp_path: Path, rows: list[Any], why: str) -> None:
    with pytest.raises(DatasetError, match=why):
        read_companies(write_lines(tmp_path / "companies.jsonl", rows))
