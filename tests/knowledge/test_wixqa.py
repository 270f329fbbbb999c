"""WixQA rows as articles."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from handrail.errors import KnowledgeError, MissingExtra
from handrail.knowledge import Article, Rejected
from handrail.knowledge.wixqa import WixQA

ROW = {
    "id": "3e1a",
    "url": "https://support.example/a",
    "title": "Adding a Page",
    "contents": "Adding a Page\nClick Add.Choose a template.Note:You can rename it.",
    "article_type": "article",
}


def write(path: Path, *rows: Any) -> Path:
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), encoding="utf-8")
    return path


def load(path: Path) -> list[Article | Rejected]:
    return list(WixQA(path).articles())


def test_a_row_becomes_an_article_with_paragraphs(tmp_path: Path) -> None:
    (found,) = load(write(tmp_path / "kb.jsonl", ROW))

    assert found == Article(
        "3e1a",
        "Adding a Page",
        "Click Add.Choose a template.\n\nNote: You can rename it.",
        "https://support.example/a",
        {"article_type": "article"},
    )


def test_snippets_have_text_instead_of_contents_and_no_address(tmp_path: Path) -> None:
    (found,) = load(write(tmp_path / "kb.jsonl", {"id": 7, "title": "Fees", "text": "Fees are low."}))

    assert found == Article("7", "Fees", "Fees are low.", "")


def test_a_heading_glued_to_its_text_is_set_apart_and_names_stay_whole(tmp_path: Path) -> None:
    text = "Removing the barYou can remove it on iPads. PayPal and YouTube stay, like www.example.com/myAccountPage."

    (article,) = load(write(tmp_path / "kb.jsonl", {**ROW, "contents": text}))

    assert isinstance(article, Article)
    assert article.body == (
        "Removing the bar\n\nYou can remove it on iPads. PayPal and YouTube stay, like www.example.com/myAccountPage."
    )


def test_a_first_sentence_that_begins_like_the_title_is_not_cut(tmp_path: Path) -> None:
    (found,) = load(write(tmp_path / "kb.jsonl", {**ROW, "title": "Acme", "contents": "Acme Editor is a tool."}))

    assert isinstance(found, Article)
    assert found.body == "Acme Editor is a tool."


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"id": "1", "title": "T"}, "missing contents"),
        ({"id": "1", "contents": "c"}, "missing title"),
        ({"title": "T", "contents": "c"}, "missing id"),
        ({"id": "1", "title": "   ", "contents": "c"}, "missing title"),
        ([1, 2], "not a JSON object in UTF-8"),
        ('{"id": "1", ', "not a JSON object in UTF-8"),
        ("[" * 200_000, "not a JSON object in UTF-8"),
    ],
    ids=["no contents", "no title", "no id", "blank title", "a list", "cut off", "deep"],
)
def test_a_bad_row_is_rejected_by_its_line_and_the_others_are_used(tmp_path: Path, row: Any, reason: str) -> None:
    path = write(tmp_path / "kb.jsonl", ROW, row, {**ROW, "id": "last"})

    first, bad, last = load(path)

    assert isinstance(first, Article)
    assert bad == Rejected(f"{path} line 2", reason)
    assert isinstance(last, Article)


def test_a_folder_may_also_hold_files_of_questions(tmp_path: Path) -> None:
    write(tmp_path / "kb.jsonl", ROW)
    write(tmp_path / "questions.jsonl", {"question": "How?", "answer": "So.", "article_ids": ["3e1a"]})

    assert [item.id for item in load(tmp_path) if isinstance(item, Article)] == ["3e1a"]


def test_rows_that_come_twice_are_both_given_for_the_report(tmp_path: Path) -> None:
    assert len(load(write(tmp_path / "kb.jsonl", ROW, ROW))) == 2


def test_a_file_of_something_else_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(KnowledgeError, match="no JSON lines with the WixQA fields id, title and contents"):
        load(write(tmp_path / "kb.jsonl", {"question": "How?"}))
    with pytest.raises(KnowledgeError, match="no such file or folder"):
        load(tmp_path / "absent.jsonl")


def test_the_hub_needs_an_extra_and_says_so_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)

    with pytest.raises(MissingExtra, match=r"needs an extra .*: pip install 'handrail\[eval\]'") as caught:
        list(WixQA(None).articles())

    assert "\n" not in str(caught.value)
