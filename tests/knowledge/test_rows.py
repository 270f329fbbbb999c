"""Questions and answers as rows: columns by name, one article a row."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from handrail.knowledge import Article, Rejected, Skipped, Unpublished
from handrail.stores.audience import FACET, Audience
from tests.knowledge.documents import read


def test_columns_are_found_by_name_whatever_parts_them(tmp_path: Path) -> None:
    (tmp_path / "faq.csv").write_text(
        'Section;Question;Answer\nStays;"When can I check in?";"From 3 pm; earlier\non request."\n', encoding="utf-8"
    )

    (found,) = read(tmp_path)

    assert isinstance(found, Article)
    assert (found.title, found.body) == ("When can I check in?", "From 3 pm; earlier\non request.")
    assert found.id == "faq:when-can-i-check-in"
    assert found.facets == {"source_type": "rows", "section": "Stays"}


def test_a_table_without_them_says_what_it_lacks_and_what_it_has(tmp_path: Path) -> None:
    (tmp_path / "staff.csv").write_text("person,phone\nAda,12\n", encoding="utf-8")

    (found,) = read(tmp_path)

    assert isinstance(found, Rejected)
    assert "a column for the question" in found.why
    assert "it has: person, phone" in found.why


def test_json_lines_of_another_kind_are_skipped_and_named(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text('{"level": "info", "at": 3}\n', encoding="utf-8")

    (found,) = read(tmp_path)

    assert isinstance(found, Skipped)
    assert "log.jsonl line 1" in found.where


def test_one_bad_row_does_not_stop_the_others(tmp_path: Path) -> None:
    rows = ['{"question": "May I bring a dog?", "answer": "Yes."}', '{"question": "Broken', '{"question": "Why?"}']
    (tmp_path / "faq.jsonl").write_text("\n".join([*rows, '{"q": "Is there a lift?", "a": "No."}']), encoding="utf-8")

    found = read(tmp_path)

    assert [type(one) for one in found] == [Article, Rejected, Rejected, Article]
    assert [one.where.rpartition(" ")[2] for one in found if isinstance(one, Rejected)] == ["2", "3"]


def test_rows_say_whom_they_are_for(tmp_path: Path) -> None:
    rows = [
        {"question": "Refund by hand?", "answer": "In the till.", "audience": "agents"},
        {"question": "New prices?", "answer": "Soon.", "draft": True},
    ]
    (tmp_path / "faq.json").write_text(json.dumps(rows), encoding="utf-8")

    for_agents, draft = read(tmp_path)

    assert isinstance(for_agents, Article)
    assert for_agents.facets[FACET] == Audience.AGENTS.value
    assert isinstance(draft, Unpublished)


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=20)


@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=8, unique_by=lambda row: row[0].casefold()), st.data())
@settings(max_examples=60, deadline=None)
def test_ids_and_texts_of_rows_stay_when_others_are_added(rows: list[tuple[str, str]], data: st.DataObject) -> None:
    added = data.draw(st.tuples(WORDS, WORDS))
    at = data.draw(st.integers(0, len(rows)))
    if added[0].casefold() in {question.casefold() for question, _ in rows}:
        return

    before, after = (_read(some) for some in (rows, [*rows[:at], added, *rows[at:]]))

    assert [(one.title, one.body) for one in before] == rows
    assert [one.id for one in after if (one.title, one.body) != added] == [one.id for one in before]


def _read(rows: list[tuple[str, str]]) -> list[Article]:
    with tempfile.TemporaryDirectory() as folder:
        lines = (json.dumps({"question": question, "answer": answer}) for question, answer in rows)
        path = Path(folder) / "faq.jsonl"
        path.write_text("\n".join(lines), encoding="utf-8")
        return [one for one in read(path) if isinstance(one, Article)]
