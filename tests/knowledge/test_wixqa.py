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


def test_contents_in_html_are_read_rather_than_their_glued_text(tmp_path: Path) -> None:
    html = "<h1>Adding a Page</h1><ol><li>Click Add.</li><li>Choose a template.</li></ol>"

    (found,) = load(write(tmp_path / "kb.jsonl", {**ROW, "html_content": html}))

    assert isinstance(found, Article)
    assert found.body == "1. Click Add.\n2. Choose a template."


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
    ("text", "title", "body"),
    [
        ("# Low fees\nFees are low.", "Low fees", "Fees are low."),
        ("Read on.\n## The **fees**\nThey are low.", "The fees", "Read on.\n\n## The **fees**\n\nThey are low."),
        ("Fees are low. They were not.", "Fees are low", "Fees are low. They were not."),
        (
            "- one two three four five six seven eight nine ten eleven twelve thirteen",
            "one two three four five six seven eight nine ten eleven twelve…",
            "- one two three four five six seven eight nine ten eleven twelve thirteen",
        ),
        ("费" * 90, "费" * 80 + "…", "费" * 90),
        ("***\nFees", "Fees", "***\n\nFees"),
    ],
    ids=["heading", "later heading", "sentence", "long", "no spaces", "after a rule"],
)
@pytest.mark.parametrize("given", [{}, {"title": ""}, {"title": None}], ids=["absent", "empty", "null"])
def test_a_row_without_a_title_gets_the_first_heading_or_the_first_words(
    tmp_path: Path, given: dict[str, Any], text: str, title: str, body: str
) -> None:
    (found,) = load(write(tmp_path / "corpus.jsonl", {"_id": "d7", "text": text, "metadata": {}, **given}))

    assert found == Article("d7", title, body, "")


def test_a_count_from_nought_is_an_id(tmp_path: Path) -> None:
    (found,) = load(write(tmp_path / "corpus.jsonl", {"_id": 0, "title": "Fees", "text": "Fees are low."}))

    assert found == Article("0", "Fees", "Fees are low.", "")


def test_questions_beside_a_corpus_are_no_articles_where_the_corpus_has_titles(tmp_path: Path) -> None:
    write(tmp_path / "corpus.jsonl", {"_id": "d1", "title": "", "text": "Fees are low."})
    write(tmp_path / "queries.jsonl", {"_id": "q1", "text": "What are the fees?"})

    assert [item.id for item in load(tmp_path) if isinstance(item, Article)] == ["d1"]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"id": "1", "title": "T"}, "missing contents"),
        ({"title": "T", "contents": "c"}, "missing id"),
        ({"title": "T"}, "missing id"),
        ({"_id": "", "text": "c"}, "missing id"),
        ({"id": "1", "title": " ", "text": "---\n***"}, "missing title, and no text to take one from"),
        ([1, 2], "not a JSON object in UTF-8"),
        ('{"id": "1", ', "not a JSON object in UTF-8"),
        ("[" * 200_000, "not a JSON object in UTF-8"),
    ],
    ids=["no contents", "no id", "neither", "blank id", "no words", "a list", "cut off", "deep"],
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
    with pytest.raises(KnowledgeError, match="no JSON lines with the fields of articles: id or _id, contents or text"):
        load(write(tmp_path / "kb.jsonl", {"question": "How?"}))
    with pytest.raises(KnowledgeError, match="no such file or folder"):
        load(tmp_path / "absent.jsonl")


def test_the_hub_needs_an_extra_and_says_so_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)

    with pytest.raises(MissingExtra, match=r"needs an extra .*pip install .*\[eval\]'") as caught:
        list(WixQA(None).articles())

    assert "\n" not in str(caught.value)
