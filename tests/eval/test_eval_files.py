"""Evaluation files from anybody: what is read, and what is said about the rest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from eval.datasets import DatasetError, load
from eval.datasets.articles import KnownArticles
from eval.datasets.refusal import REFUSAL
from eval.datasets.retrieval import RETRIEVAL
from eval.datasets.routing import ROUTING
from handrail.types import Label
from tests.eval.files import write_lines


@pytest.mark.parametrize("dataset", [ROUTING, RETRIEVAL, REFUSAL], ids=lambda dataset: str(dataset.name))
def test_every_row_of_the_files_that_ship_is_usable_and_says_what_is_right(dataset: Any) -> None:
    loaded = load(dataset, dataset.default)

    assert loaded.bad == []
    assert [case.id for case in loaded.cases if getattr(case, dataset.gold) in (None, ())] == []
    assert len({case.id for case in loaded.cases}) == len(loaded.cases)


def test_unknown_fields_are_ignored_and_ids_made_up_where_there_are_none(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "rows.jsonl", [{"text": "hi", "label": "irrelevant", "line": "x", "who": 1}, {"id": 7, "text": "ho"}]
    )

    first, second = load(ROUTING, path).cases

    assert (first.id, first.line, first.label) == ("line-1", 1, Label.IRRELEVANT)
    assert (second.id, second.label) == ("7", None)


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ('{"text": "hi"', "not JSON"),
        ('["hi"]', "not a JSON object but list"),
        ('{"label": "irrelevant"}', "text is missing"),
        ('{"text": 5, "label": "irrelevant"}', "text: Input should be a valid string (given: 5)"),
        ('{"text": "hi", "label": "spam"}', "'nonsense' (given: 'spam')"),
    ],
)
def test_a_bad_row_is_named_by_its_line_and_costs_no_other(tmp_path: Path, row: str, why: str) -> None:
    path = write_lines(tmp_path / "rows.jsonl", [{"text": "a"}, "", row, {"text": "b"}])

    loaded = load(ROUTING, path)

    assert [case.text for case in loaded.cases] == ["a", "b"]
    (bad,) = loaded.bad
    assert bad.line == 3
    assert why in bad.why


def test_a_long_value_is_not_repeated_in_full(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "rows.jsonl", [{"text": "a"}, {"text": "b", "label": "x" * 5000}])

    assert len(load(ROUTING, path).bad[0].why) < 300


def test_windows_files_are_read(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"question": "a", "article_ids": null}\r\n\r\n{"question": "b"}\r\n')

    assert [(case.question, case.article_ids) for case in load(RETRIEVAL, path).cases] == [("a", ()), ("b", ())]


def test_line_separators_inside_a_text_do_not_end_the_row(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"text": "one\u2028two"}\n', encoding="utf-8")

    assert load(ROUTING, path).cases[0].text == "one\u2028two"


def test_a_limit_counts_usable_rows(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "rows.jsonl", [{"text": "a"}, "broken", {"text": "b"}, {"text": "c"}])

    loaded = load(ROUTING, path, limit=2)

    assert [case.text for case in loaded.cases] == ["a", "b"]
    assert len(loaded.bad) == 1


def test_documents_of_a_refusal_row_are_the_expected_one_and_its_alternatives(tmp_path: Path) -> None:
    rows = [
        {"question": "a", "should_refuse": False, "expected_doc": "x", "alt_docs": ["y"]},
        {"question": "b", "should_refuse": True, "expected_doc": None, "alt_docs": None},
    ]

    first, second = load(REFUSAL, write_lines(tmp_path / "rows.jsonl", rows)).cases

    assert (first.documents, second.documents) == (("x", "y"), ())


@pytest.mark.parametrize(
    ("content", "why"),
    [(b"", "the file is empty"), (b"nonsense\n", "line 1: not JSON"), (b'{"text": "\xff"}', "not UTF-8 text")],
)
def test_a_file_without_usable_rows_is_refused_with_the_reason(tmp_path: Path, content: bytes, why: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(content)

    with pytest.raises(DatasetError, match=why):
        load(ROUTING, path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"gone\.jsonl: No such file .*--file"):
        load(ROUTING, tmp_path / "gone.jsonl")


HASH = "49d9e88fadbf11fa4e685c847590078f"


@pytest.mark.parametrize(
    ("gold", "articles", "found"),
    [
        (HASH, {HASH}, HASH),
        (HASH[:16], {HASH, "other"}, HASH),
        (HASH[:15], {HASH}, None),
        (HASH[:16], {HASH, HASH[:16] + "0"}, None),
        ("store:gift-cards", {"store:gift-cards", "store:gift-cards-expire"}, "store:gift-cards"),
        ("gone", {"other"}, None),
    ],
    ids=["equal", "16 characters", "15 characters", "ambiguous", "a slug that others begin with", "unknown"],
)
def test_gold_ids_name_an_article_or_its_first_sixteen_characters(
    gold: str, articles: set[str], found: str | None
) -> None:
    assert KnownArticles(articles).resolve(gold) == found
