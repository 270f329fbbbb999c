"""Plain text: which lines are headings, and what stays of the others."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from handrail.knowledge.formats.plain import body_of
from handrail.text.markdown import parse
from tests.knowledge.articles import article, chunker
from tests.knowledge.documents import article_of

HANDBOOK = """\
Marina handbook

1. Berths

Berths are let by the week. Ask at the
harbour office.

1.1 Deposits

A deposit of 40 euros is due.

2. Steps to leave

1. Hand back the key.
2. Sign the list.

WINTER STORAGE

Boats are lifted in October.

Opening hours
=============
Monday: 8 to 12
Friday: 8 to 17

Prices
------
See the table at the office, and ask for <discounts> & more_or_less 2*3*4.
"""


def test_numbered_capital_and_underlined_headings() -> None:
    body = body_of(HANDBOOK)

    assert body.title == "Marina handbook"
    assert [line for line in body.lines if line.startswith("#")] == [
        "## 1. Berths",
        "### 1.1 Deposits",
        "## 2. Steps to leave",
        "## WINTER STORAGE",
        "## Opening hours",
        "### Prices",
    ]


def test_steps_with_blank_lines_between_them_are_no_headings() -> None:
    body = body_of("How to leave\n\n1. Hand back the key\n\n2. Sign the list\n\n3. Go\n")

    assert not [line for line in body.lines if line.startswith("#")]
    (steps,) = parse(body.text)
    assert steps.kind == "ordered"
    assert len(steps.units) == 3


def test_lines_that_were_ended_on_purpose_stay_lines() -> None:
    blocks = {block.headings[-1]: block for block in parse(body_of(HANDBOOK).text) if block.headings}

    assert blocks["Opening hours"].units == ("Monday: 8 to 12", "Friday: 8 to 17")


def test_what_looks_like_marks_is_shown_as_it_is() -> None:
    (passage,) = [one for one in chunker().passages(article(body_of(HANDBOOK).text)) if "discounts" in one.text]

    shown = re.sub(r"\\([*<>_])", r"\1", passage.text)
    assert "<discounts> & more_or_less 2*3*4." in shown


def test_the_name_of_the_file_is_the_title_for_want_of_a_better_one(tmp_path: Path) -> None:
    (tmp_path / "lost-keys.txt").write_text(
        "Ask at the office for a new key, and bring the old one.\n", encoding="utf-8"
    )

    found = article_of(tmp_path)

    assert (found.id, found.title, found.url) == ("lost-keys", "Lost keys", "https://help.example/lost-keys")


def test_utf_16_with_a_mark_is_read(tmp_path: Path) -> None:
    (tmp_path / "berths.txt").write_text("Liegeplätze für Gäste sind grün.\n", encoding="utf-16")

    assert "Liegeplätze für Gäste" in article_of(tmp_path).body


LINE = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=60)


@given(st.lists(LINE, max_size=30))
@settings(max_examples=150, deadline=None)
def test_no_letter_is_lost_invented_or_moved(lines: list[str]) -> None:
    source = "\n".join(lines)
    body = body_of(source)

    assert letters(body.title + body.text) == letters(source)
    assert set(body.title) <= set(source)


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))
