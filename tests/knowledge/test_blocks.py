"""Documents that a service has taken apart: chunks with types, pages and boxes."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from handrail.knowledge import Skipped
from handrail.types import Kind, Place
from tests.knowledge.articles import chunker
from tests.knowledge.documents import article_of, chunk, ground, parsed, read

TABLE = (
    "<a id='t'></a>\n\n<table id='0-1'><tr><td id='0-2' rowspan='2'>Zone</td><td id='0-3' colspan='2'>Price</td></tr>"
    "<tr><td id='0-4'>1 kg</td><td id='0-5'>2 kg</td></tr>"
    "<tr><td id='0-6'>North<script>steal()</script></td><td id='0-7'>4 euros</td><td id='0-8'>7 euros</td></tr></table>"
)
CELLS = {f"0-{n}": ground(1, (n / 10, 0.3, (n + 1) / 10, 0.4)) for n in range(2, 9)}


def test_margins_and_logos_are_left_out_and_the_first_heading_is_the_title(tmp_path: Path) -> None:
    parsed(
        tmp_path,
        chunk("logo", "PARCELCO"),
        chunk("marginalia", "Page 1 of 2"),
        chunk("text", "<a id='a'></a>\n\n# Rates\n\nAll rates are net."),
    )

    found = article_of(tmp_path)

    assert (found.title, found.body) == ("Rates", "All rates are net.")
    assert found.places == {0: (Place(1, (0.1, 0.1, 0.9, 0.2)),)}


def test_merged_cells_are_filled_and_each_row_stands_where_its_cells_do(tmp_path: Path) -> None:
    parsed(tmp_path, chunk("text", "# Rates"), chunk("table", TABLE, page=1), cells=CELLS)

    found = article_of(tmp_path)

    assert found.body.splitlines() == [
        "| Zone | Price | Price |",
        "| --- | --- | --- |",
        "| Zone | 1 kg | 2 kg |",
        "| North | 4 euros | 7 euros |",
    ]
    assert found.places[3] == tuple(Place(2, (n / 10, 0.3, (n + 1) / 10, 0.4)) for n in (6, 7, 8))


def test_a_figure_is_a_passage_of_its_own_that_says_what_it_is(tmp_path: Path) -> None:
    parsed(
        tmp_path,
        chunk("text", "# Sales\n\nSales grew."),
        chunk("figure", "<::A bar chart of sales.\n\nJune is the highest: chart::>", page=2),
        chunk("text", "They grew in each month."),
    )

    text, figure = sorted(chunker().passages(article_of(tmp_path)), key=lambda one: one.kind)

    assert text.text == "Sales grew.\n\nThey grew in each month."
    assert figure.kind is Kind.FIGURE
    assert figure.text == "> **Figure, described by a machine:** A bar chart of sales. June is the highest"
    assert figure.places == (Place(3, (0.1, 0.1, 0.9, 0.2)),)


def test_pages_counted_from_one_stay(tmp_path: Path) -> None:
    parsed(tmp_path, chunk("text", "Hello there.", page=1), chunk("text", "Good bye.", page=2))

    assert [place.page for places in article_of(tmp_path).places.values() for place in places] == [1, 2]


def test_cells_may_be_listed(tmp_path: Path) -> None:
    cells = [
        {"row": row, "col": column, "text": f"{row}/{column}", "page": 0, "box": [0.1 * column, 0.1, 0.2, 0.2]}
        for row in range(2)
        for column in range(2)
    ]
    parsed(tmp_path, {**chunk("table", ""), "cells": cells, "title": "Fees"})

    found = article_of(tmp_path)

    assert found.body == "**Fees**\n\n| 0/0 | 0/1 |\n| --- | --- |\n| 1/0 | 1/1 |"
    assert [place.box for place in found.places[4]] == [(0.0, 0.1, 0.2, 0.2), (0.1, 0.1, 0.2, 0.2)]


def test_json_of_another_kind_is_skipped_and_named(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text('{"name": "site"}', encoding="utf-8")

    (found,) = read(tmp_path)

    assert isinstance(found, Skipped)


SENTENCE = st.lists(
    st.sampled_from(["the", "berth", "is", "let", "by", "week", "7", "9", "12"]), min_size=1, max_size=60
).map(lambda words: " ".join(words).capitalize() + ".")
CHUNKS = st.lists(st.lists(SENTENCE, min_size=1, max_size=12).map(" ".join), min_size=1, max_size=6)


@given(CHUNKS)
@settings(max_examples=50, deadline=None)
def test_each_passage_stands_where_its_words_do(texts: list[str]) -> None:
    """Each chunk on a page of its own: a passage is on the pages of the chunks that it holds words of, in order."""
    with tempfile.TemporaryDirectory() as folder:
        parsed(Path(folder), *(chunk("text", f"{text} page{page}.", page) for page, text in enumerate(texts)))
        found = article_of(Path(folder))
    passages = chunker(overlap_tokens=0).passages(found)

    assert "".join(one.text for one in passages).count("page") == len(texts)
    pages = [place.page for one in passages for place in one.places]
    assert pages == sorted(pages)
    assert set(pages) == set(range(1, len(texts) + 1))
    for passage in passages:
        said = {int(word.strip(".")[4:]) + 1 for word in passage.text.split() if word.startswith("page")}
        assert said <= {place.page for place in passage.places}
