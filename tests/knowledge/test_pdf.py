"""PDF: headings by size, tables, pages; what most pages repeat is left out."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from handrail.knowledge.formats.pdf import parse
from handrail.text.markdown import parse as blocks_of
from handrail.types import Kind
from tests.knowledge.articles import chunker
from tests.knowledge.documents import article_of, heading, page_break, pdf, table, text, title

WORDS = "Passengers may change a crossing until two days before it leaves, at no cost. "
FARES = [["Route", "Adult", "Child"], *([f"Harbour {n}", f"{n + 10} euros", f"{n} euros"] for n in range(1, 61))]


def handbook() -> bytes:
    return pdf(
        title("Ferry handbook"),
        heading("Changes"),
        text(WORDS * 6),
        heading("Fares"),
        text("Table 1: Fares by route"),
        table(FARES, ("SPAN", (1, 3), (2, 3))),
        text("Bikes are free of charge."),
        page_break(),
        text("The last page says where to complain."),
        header="Northern Line Ferries",
        footer=lambda page: f"Handbook, page {page}",
    )


def test_headings_come_from_sizes_and_pages_are_known(tmp_path: Path) -> None:
    (tmp_path / "ferries.pdf").write_bytes(handbook())

    found = article_of(tmp_path)

    assert found.title == "Ferry handbook"
    assert [line for line in found.body.splitlines() if line.startswith("#")] == ["## Changes", "## Fares"]
    passages = chunker(merge_below_tokens=0).passages(found)
    last = next(passage for passage in passages if "complain" in passage.text)
    assert [place.page for place in last.places] == [3]


def test_what_more_than_half_of_the_pages_repeat_is_left_out() -> None:
    body = parse(handbook()).text

    assert "Northern Line" not in body
    assert "Handbook, page" not in body


def test_a_table_over_several_pages_is_one_with_merged_cells_filled() -> None:
    body = parse(handbook()).text

    (fares,) = [block for block in blocks_of(body) if block.kind == "table"]
    assert fares.header == "| Route | Adult | Child |\n| --- | --- | --- |"
    assert len(fares.units) == 60
    assert fares.units[2] == "| Harbour 3 | 13 euros | 13 euros |"
    assert body.index("Fares by route") < body.index("Harbour 1 ") < body.index("Harbour 60") < body.index("Bikes")


def test_a_row_of_a_large_table_stands_where_its_cells_do(tmp_path: Path) -> None:
    (tmp_path / "ferries.pdf").write_bytes(handbook())

    passages = chunker().passages(article_of(tmp_path))

    row = next(one for one in passages if one.kind is Kind.ROW and "Harbour 7 " in one.text)
    assert row.text.startswith("**Table 1: Fares by route**\n\n| Route | Adult | Child |")
    assert len(row.places) == 3
    boxes = [place.box for place in row.places if place.box]
    assert len({(top, bottom) for _, top, _, bottom in boxes}) == 1
    assert boxes == sorted(boxes)
    whole = next(one for one in passages if one.kind is Kind.TEXT and "Harbour 7 " in one.text)
    assert "Harbour 8 " in whole.text


def test_a_word_divided_between_lines_is_put_together() -> None:
    body = parse(pdf(text("The office handles cancel-<br/>lations and refunds.<br/>Ask there."))).text

    assert "cancellations" in body


SENTENCE = st.lists(
    st.text(st.characters(min_codepoint=33, max_codepoint=126, exclude_characters="<>&-"), min_size=1, max_size=9),
    min_size=1,
    max_size=25,
).map(" ".join)


@given(st.lists(st.tuples(st.sampled_from([heading, text]), SENTENCE), min_size=1, max_size=8))
@settings(max_examples=25, deadline=None)
def test_no_letter_is_lost_invented_or_moved(said: list[tuple]) -> None:  # type: ignore[type-arg]
    body = parse(pdf(*(shown(words) for shown, words in said)))

    assert letters(body.title + body.text) == letters("".join(words for _, words in said))


def letters(text: str) -> str:
    return "".join(re.findall(r"[A-Za-z0-9]", text))
