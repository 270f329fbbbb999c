"""Work and text grow with what is read, whatever is in it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
import sentencex

from handrail.errors import KnowledgeError
from handrail.knowledge import Article
from handrail.knowledge.folder import Folder
from handrail.knowledge.formats import docx
from handrail.knowledge.formats.html_tree import MOST_TAGS
from handrail.knowledge.formats.rst import MOST_REFERENCES
from handrail.knowledge.grid import MOST_FIELDS, MOST_REPEATED, Grids, number, placed
from handrail.knowledge.markup.shortcodes import Shortcodes
from handrail.text import markdown
from tests.knowledge.articles import article, chunker
from tests.knowledge.documents import chunk, parsed, word
from tests.knowledge.growth import proportional

pytestmark = pytest.mark.slow

LONG = "word " * 4000


def repeated(unit: str, title: str = "") -> Callable[[int], str]:
    return lambda size: title + unit * (size // len(unit))


def panels(size: int) -> str:
    count = size // 60
    return f'<div role="tablist">{"<b role=tab>a</b>" * count}</div>' + '<div role="tabpanel"><p>a b</p></div>' * count


SHAPES: dict[str, tuple[str, Callable[[int], str]]] = {
    "tables that nothing ends": (".md", repeated("<table><tr><td>a")),
    "comments that nothing ends": (".md", repeated("<!--")),
    "instructions that nothing ends": (".md", repeated("<?")),
    "pictures that nothing ends": (".md", repeated("![")),
    "marks in reStructuredText": (".rst", repeated("`a ", "Page\n====\n\n")),
    "anchors above no heading": (".md", repeated('<a id="a"></a>\n')),
    "directives in directives": (".md", repeated("```{note}\n", "{doc}`a`\n\n")),
    "panels of tabs": (".html", panels),
    "rows of tabs": (".html", repeated('<div role=tablist><b role=tab>a</b></div><p role="tabpanel">a</p>')),
}


@pytest.mark.parametrize("name", SHAPES)
def test_reading_and_cutting_grow_with_the_file(tmp_path: Path, name: str) -> None:
    suffix, shape = SHAPES[name]

    def work(size: int) -> Callable[[], object]:
        path = tmp_path / f"{size}{suffix}"
        path.write_text(shape(size), encoding="utf-8")

        def read() -> object:
            found = [one for one in Folder(path, "", 2_000_000).articles() if isinstance(one, Article)]
            return [chunker().passages(one) for one in found]

        return read

    assert proportional(work, 5_000 if suffix == ".rst" else 20_000)


def test_shortcodes_in_shortcodes_take_time_that_grows_with_them() -> None:
    def work(size: int) -> Callable[[], object]:
        text = "{{< note >}}a" * (size // 26) + "{{< /note >}}" * (size // 26)
        return lambda: Shortcodes(lambda path: None).shown(text, str)

    assert proportional(work, 50_000)


def page_of(folder: Path, unit: str, count: int) -> Callable[[], list[Article]]:
    """Reads a page of reStructuredText whose one paragraph repeats `unit`."""
    path = folder / f"{count}.rst"
    path.write_text(f"Page\n====\n\n{unit * count}\n", encoding="utf-8")
    return lambda: [one for one in Folder(path, "", 2_000_000).articles() if isinstance(one, Article)]


@pytest.mark.parametrize("unit", ["*a ", "**a ", "`a ", "``a ", "|a ", "_`a ", "*a\n", "a_ "])
def test_marks_that_nothing_ends_take_time_that_grows_with_them(tmp_path: Path, unit: str) -> None:
    most = MOST_REFERENCES if unit == "a_ " else 20_000

    assert proportional(lambda size: page_of(tmp_path, unit, size), most // 4)


@pytest.mark.parametrize("unit", ["*a ", "`a ", "|a "])
def test_sixty_thousand_marks_are_read_and_none_of_their_words_is_lost(tmp_path: Path, unit: str) -> None:
    start = time.thread_time()

    (article,) = page_of(tmp_path, unit, 60_000)()

    assert time.thread_time() - start < 60
    assert article.body.count("a") == 60_000


def test_a_paragraph_of_many_addresses_is_read(tmp_path: Path) -> None:
    (article,) = page_of(tmp_path, "https://help.example/a ", 2000)()

    assert article.body.count("help.example") >= 2000


def test_a_page_of_too_many_tags_costs_no_more_than_finding_out(tmp_path: Path) -> None:
    def why(text: str) -> str:
        (tmp_path / "page.html").write_text(text, encoding="utf-8")
        (found,) = Folder(tmp_path / "page.html", "", 2_000_000).articles()
        return getattr(found, "why", "")

    assert f"more than {MOST_TAGS} tags" in why("<p>a</p>" * (MOST_TAGS + 1))
    assert "nested" in why("<i>" * 400)
    assert proportional(lambda size: lambda: why("<i>" * size + "</b>" * size), 10_000)


@pytest.mark.parametrize("text", ["`" * 100_000, "a " * 50_000, "x" * 100_000, "One two. " * 10_000, '"(a. ' * 20_000])
def test_sentences_are_cut_in_windows_and_lose_nothing(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    given: list[int] = []

    def segment(lang: str, window: str) -> list[str]:
        given.append(len(window))
        return list(original(lang, window))

    original = sentencex.segment
    monkeypatch.setattr(sentencex, "segment", segment)

    found = markdown.sentences(text)

    assert max(given) <= markdown.WINDOW
    assert sum(given) <= 3 * len(text)
    assert "".join("".join(found).split()) == "".join(text.split())


def test_windows_cut_as_the_whole_is_cut() -> None:
    said = "Ask Dr. Hill at 10 a.m. about “the key. Or not.” Then, e.g. after 3.5 hours, go! Will you? (See p. 4.) "

    assert markdown.sentences(said * 200) == [one.strip() for one in sentencex.segment("en", said * 200) if one.strip()]


def spanning(rows: str, columns: str, text: str = LONG) -> str:
    below = "<tr><td>b</td><td>c</td></tr>" * 499
    cell = f"<tr><td>a</td><td rowspan={rows}>{text}</td></tr><tr><td colspan={columns}>d</td></tr>"
    return f"<table>{cell}{below}</table>"


@pytest.mark.parametrize("suffix", [".md", ".html", ".json"])
@pytest.mark.parametrize("span", ["500", "9" * 5000])
def test_a_merged_cell_is_repeated_within_bounds(tmp_path: Path, suffix: str, span: str) -> None:
    path = tmp_path / f"page{suffix}"
    if suffix == ".json":
        parsed(tmp_path, chunk("table", spanning(span, span)), name=path.name)
    else:
        path.write_text(spanning(span, span), encoding="utf-8")

    (found,) = Folder(path, "", 2_000_000).articles()

    assert isinstance(found, Article), found
    assert len(found.body) < len(LONG) + MOST_REPEATED + 50_000
    assert found.body.split().count("word") == 4000
    assert found.body.split().count("b") == 499


def test_merged_cells_of_a_word_document_are_repeated_within_bounds() -> None:
    def write(document: object) -> None:
        table = document.add_table(200, 2)  # type: ignore[attr-defined]
        table.cell(0, 0).merge(table.cell(199, 0)).paragraphs[0].text = LONG
        for row in table.rows:
            row.cells[1].text = "b"
        table.rows[0]._tr.get_or_add_trPr().append(_grid_before("9" * 5000))

    body = docx.parse(word(write))

    assert len(body.text) < len(LONG) + MOST_REPEATED + 50_000
    assert (body.text.split().count("word"), body.text.split().count("b")) == (4000, 200)


def _grid_before(said: str) -> object:
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    found = OxmlElement("w:gridBefore")
    found.set(qn("w:val"), said)
    return found


def test_tables_of_an_article_share_what_they_may_repeat() -> None:
    grids = Grids()
    table = placed([[("x" * 1000, 20, 1), ("y", 1, 1)], *([("z", 1, 1)] for _ in range(19))])

    written = [sum(len(cell) for row in grids.spread(table, len, "") for cell in row) for _ in range(30)]

    assert written[0] == 20 * 1000 + 20
    assert written[-1] == 1000 + 20
    assert sum(written) <= 30 * 1020 + MOST_REPEATED


def test_more_fields_than_any_table_has() -> None:
    wide = placed([[("", 1, 1)] * 2000, *([[("", 1, 1)]] * 499)])
    grids = Grids()
    grids.spread(wide, len, "")

    with pytest.raises(KnowledgeError, match="fields"):
        grids.spread(wide, len, "")
    with pytest.raises(KnowledgeError, match="fields"):
        placed([[("", 1, MOST_FIELDS), ("", 1, 1)]])


@pytest.mark.parametrize(
    ("said", "counted"),
    [
        ("3", 3),
        ("0", 1),
        ("", 1),
        (None, 1),
        ("-4", 1),
        ("2.5", 1),
        ("²", 1),
        ("007", 7),
        ("99999", 1000),
        ("9" * 9999, 1000),
    ],
)
def test_spans_of_any_number_of_digits(said: object, counted: int) -> None:
    assert number(said, 1000) == counted


@pytest.mark.parametrize("opening", ["<blockquote>", "<ul><li>"])
def test_each_line_repeats_the_marks_of_a_few_levels_only(tmp_path: Path, opening: str) -> None:
    (tmp_path / "page.html").write_text(opening * 60 + "a<br>" * 4000, encoding="utf-8")

    (found,) = Folder(tmp_path / "page.html", "", 2_000_000).articles()

    assert isinstance(found, Article)
    assert found.body.count("a") == 4000
    assert len(found.body) < 4000 * 30


def test_deep_quotations_keep_their_words() -> None:
    passages = chunker().passages(article("> " * 300 + "deep words\n\nAnd more."))

    assert " ".join(one.text for one in passages).replace(">", "").split() == ["deep", "words", "And", "more."]


def test_more_references_than_docutils_can_look_up(tmp_path: Path) -> None:
    (tmp_path / "page.rst").write_text("Page\n====\n\n" + "a_ " * 80_000, encoding="utf-8")

    (found,) = Folder(tmp_path / "page.rst", "", 2_000_000).articles()

    assert "references; split the page" in getattr(found, "why", "")
