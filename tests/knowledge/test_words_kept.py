"""Whatever a document is made of: no word of it is lost, none is invented, and all stay in order."""

from __future__ import annotations

import csv
import io
import json
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import count
from pathlib import Path

import docx as word
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from reportlab.platypus import Flowable, Spacer, Table

from handrail.knowledge import Article
from handrail.knowledge.folder import Folder
from handrail.knowledge.formats import docx, pdf
from handrail.types import Kind
from tests.knowledge import documents
from tests.knowledge.articles import chunker

pytestmark = pytest.mark.slow

WORD = re.compile(r"\bw\d+x\b")


@dataclass(frozen=True)
class Cell:
    text: str
    row: int
    column: int
    rows: int
    columns: int


@dataclass(frozen=True)
class Part:
    """One block: its kind, and what it says."""

    kind: str
    texts: tuple[str, ...] = ()
    cells: tuple[Cell, ...] = ()

    @property
    def height(self) -> int:
        return max(cell.row + cell.rows for cell in self.cells)

    @property
    def width(self) -> int:
        return max(cell.column + cell.columns for cell in self.cells)


Spans = Sequence[tuple[int, int, int, int]]
KINDS = ("heading", "text", "bullets", "steps", "note", "code")


@st.composite
def spans(draw: st.DrawFn) -> Spans:
    """A grid of cells, some of which are merged; each row and each column has a cell that begins there."""
    height, width = draw(st.integers(2, 5)), draw(st.integers(2, 4))
    taken: set[tuple[int, int]] = set()
    found = []
    for row in range(height):
        for column in range(width):
            if (row, column) in taken:
                continue
            # The first row and the first column are whole: they name the others.
            merged = row > 0 and column > 0
            rows = draw(st.integers(1, height - row)) if merged else 1
            free = next((n for n in range(column, width) if (row, n) in taken), width) - column
            columns = draw(st.integers(1, free)) if merged else 1
            taken |= {(row + down, column + across) for down in range(rows) for across in range(columns)}
            found.append((row, column, rows, columns))
    return found


BLOCK = st.one_of(
    st.tuples(st.sampled_from(KINDS), st.lists(st.integers(1, 30), min_size=1, max_size=4)),
    st.tuples(st.just("table"), spans()),
)
DOCUMENTS = st.lists(BLOCK, min_size=1, max_size=8)


def parts(drawn: Sequence[tuple[str, Sequence[object]]]) -> list[Part]:
    """With a word of its own wherever there is one; what a document begins with is a paragraph."""
    numbers = count()

    def said(size: int) -> str:
        words = [f"w{next(numbers)}x" for _ in range(size)]
        return " ".join(f"{one}." if n % 9 == 8 else one for n, one in enumerate(words))

    found = [Part("text", (said(3) + ".",))]
    for kind, inner in drawn:
        if kind == "table":
            found.append(Part(kind, (), tuple(Cell(said(2), *at) for at in inner)))  # type: ignore[misc]
        else:
            sizes = [min(size, 6) if kind in ("heading", "code") else size for size in inner if isinstance(size, int)]
            texts = tuple(map(said, sizes))
            found.append(Part(kind, texts[:1] if kind in ("heading", "text", "note") else texts))
            if kind == "heading":  # one with nothing under it stands over no passage
                found.append(Part("text", (said(3),)))
    return found


def markdown(found: Sequence[Part], table: Callable[[Part], str], note: str) -> str:
    shown = []
    for part in found:
        ways: dict[str, Callable[[Part], str]] = {
            "heading": lambda part: f"## {part.texts[0]}",
            "text": lambda part: part.texts[0],
            "bullets": lambda part: "\n".join(f"- {text}" for text in part.texts),
            "steps": lambda part: "\n".join(f"{n}. {text}" for n, text in enumerate(part.texts, 1)),
            "note": lambda part: note.format(part.texts[0]),
            "code": lambda part: "```\n" + "\n".join(part.texts) + "\n```",
            "table": table,
        }
        shown.append(ways[part.kind](part))
    return "\n\n".join(shown) + "\n"


def html_table(part: Part, tight: bool = True) -> str:
    rows: list[str] = []
    for row in range(part.height):
        cells = "".join(
            f'<td rowspan="{one.rows}" colspan="{one.columns}">{one.text}</td>' for one in part.cells if one.row == row
        )
        rows.append(f"<tr>{cells}</tr>")
    return "<table>" + ("" if tight else "\n").join(rows) + "</table>"


def html(found: Sequence[Part]) -> str:
    shown = []
    for part in found:
        ways: dict[str, Callable[[Part], str]] = {
            "heading": lambda part: f"<h2>{part.texts[0]}</h2>",
            "text": lambda part: f"<p>{part.texts[0]}</p>",
            "bullets": lambda part: "<ul>" + "".join(f"<li>{text}</li>" for text in part.texts) + "</ul>",
            "steps": lambda part: "<ol>" + "".join(f"<li>{text}" for text in part.texts) + "</ol>",
            "note": lambda part: f'<div class="note"><p>{part.texts[0]}</p></div>',
            "code": lambda part: "<pre>" + escape("\n".join(part.texts)) + "</pre>",
            "table": html_table,
        }
        shown.append(ways[part.kind](part))
    return "<html><body><main>" + "\n".join(shown) + "</main></body></html>"


def grid(part: Part) -> str:
    """A table as reStructuredText draws it."""
    wide, high = 22, 2
    lines = [[" "] * (part.width * wide + 1) for _ in range(part.height * high + 1)]
    for cell in part.cells:
        top, left = cell.row * high, cell.column * wide
        bottom, right = top + cell.rows * high, left + cell.columns * wide
        for x in range(left, right + 1):
            for y in (top, bottom):
                lines[y][x] = "+" if lines[y][x] in "|+" else "-"
        for y in range(top, bottom + 1):
            for x in (left, right):
                lines[y][x] = "+" if lines[y][x] in "-+" or y in (top, bottom) else "|"
        lines[top + 1][left + 2 : left + 2 + len(cell.text)] = cell.text
    return "\n".join("".join(line) for line in lines)


def rst(found: Sequence[Part]) -> str:
    shown = ["Page\n===="]
    for part in found:
        ways: dict[str, Callable[[Part], str]] = {
            "heading": lambda part: f"{part.texts[0]}\n{'-' * len(part.texts[0])}",
            "text": lambda part: part.texts[0],
            "bullets": lambda part: "\n".join(f"- {text}" for text in part.texts),
            "steps": lambda part: "\n".join(f"{n}. {text}" for n, text in enumerate(part.texts, 1)),
            "note": lambda part: f".. sparkle:: {part.texts[0]}",
            "code": lambda part: "::\n\n" + "\n".join(f"   {text}" for text in part.texts),
            "table": grid,
        }
        shown.append(ways[part.kind](part))
    return "\n\n".join(shown) + "\n"


def noted(found: Sequence[Part]) -> str:
    """As reStructuredText where each paragraph is the body of a directive, written in one way or another."""
    ways = (
        ".. note::\n   :nobody-knows: this\n\n   {}",
        ".. sparkle::\n   {}",
        ".. sparkle::\n   :size: big\n\n   {}",
        ".. glossary::\n\n   {}",
        ".. admonition:: {}",
        ".. list-table::\n   :widths: none\n\n   {}",
        ".. seealso:: {}",
    )
    texts = [text for part in found for text in (*part.texts, *(cell.text for cell in part.cells))]
    return "Page\n====\n\n" + "\n\n".join(ways[n % len(ways)].format(text) for n, text in enumerate(texts)) + "\n"


def plain(found: Sequence[Part]) -> str:
    shown = []
    for part in found:
        # One step by itself is a numbered heading.
        listed = part.cells or (part.kind == "steps" and len(part.texts) == 1)
        texts = (*part.texts, *(cell.text for cell in part.cells))
        shown.append(Part("bullets", texts) if listed else part)
    return "Page\n\n" + markdown(shown, html_table, "{}").replace("```\n", "").replace("\n```", "")


def rows(found: Sequence[Part]) -> str:
    held = io.StringIO()
    written = csv.writer(held)
    written.writerow(["question", "answer"])
    for n, part in enumerate(found):
        # Each row is an article: a heading alone would stand over no passage of it.
        written.writerow([f"Question {n}", markdown([part], html_table, "> {}").removeprefix("## ")])
    return held.getvalue()


def chunks(found: Sequence[Part]) -> str:
    listed = [
        {"type": "table", "markdown": html_table(part)}
        if part.kind == "table"
        else {"type": "text", "markdown": markdown([part], html_table, "> {}")}
        for part in found
    ]
    return json.dumps({"chunks": listed})


FORMATS: Mapping[str, tuple[str, Callable[[Sequence[Part]], str]]] = {
    "markdown": (".md", lambda found: markdown(found, html_table, ":::note\n{}\n:::")),
    "mkdocs": (".md", lambda found: markdown(found, lambda part: html_table(part, tight=False), "!!! note\n    {}")),
    "mdx": (".mdx", lambda found: markdown(found, html_table, "<Note>\n{}\n</Note>")),
    "html": (".html", html),
    "rst": (".rst", rst),
    "directives": (".rst", noted),
    "text": (".txt", plain),
    "csv": (".csv", rows),
    "json": (".json", chunks),
}


def said(found: Sequence[Part], *, merged: bool) -> Iterator[str]:
    """Words in order; with those of merged cells once for each field that they reach over, in the order of fields."""
    for part in found:
        yield from (one for text in part.texts for one in WORD.findall(text))
        for row in range(part.height if part.cells else 0):
            for cell in sorted(part.cells, key=lambda cell: cell.column):
                if cell.row == row or (merged and cell.row <= row < cell.row + cell.rows):
                    yield from WORD.findall(cell.text) * (cell.columns if merged else 1)


def check(text: str, articles: Sequence[Article], expected: Sequence[str]) -> None:
    assert WORD.findall(text) == list(expected)
    passages = [one for article in articles for one in chunker().passages(article) if one.kind is not Kind.ROW]
    over = [f"{' '.join(one.headings)} {one.text}" for one in passages]
    titles = [article.title for article in articles]
    shown = WORD.findall(" ".join((*titles, *over)))
    assert set(shown) == set(expected)
    assert list(dict.fromkeys(shown)) == list(dict.fromkeys(expected))


@pytest.mark.parametrize("name", FORMATS)
@given(drawn=DOCUMENTS)
@settings(max_examples=40, deadline=None)
def test_words_of_a_document(name: str, drawn: Sequence[tuple[str, Sequence[object]]]) -> None:
    suffix, write = FORMATS[name]
    found = parts(drawn)

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"page{suffix}"
        path.write_text(write(found), encoding="utf-8")
        articles = [one for one in Folder(path, "", 2_000_000).articles() if isinstance(one, Article)]

    merged = name not in ("text", "directives", "csv")
    check("\n".join(f"{one.title}\n{one.body}" for one in articles), articles, list(said(found, merged=merged)))


@given(drawn=DOCUMENTS)
@settings(max_examples=40, deadline=None)
def test_words_of_a_word_document(drawn: Sequence[tuple[str, Sequence[object]]]) -> None:
    found = parts(drawn)

    body = docx.parse(office(found))

    article = Article("page", "Page", body.text, "")
    check(body.text, [article], list(said(found, merged=True)))


TWO_TABLES = [
    ("table", [(0, n, 1, 1) for n in range(4)] + [(1, 0, 1, 1), (1, 1, 1, 2), (1, 3, 1, 1)]),
    ("text", [6]),
    ("table", [(row, n, 1, 1) for row in range(2) for n in range(3)]),
]
"""One line of prose between them, which could be a cell under the first."""


@pytest.mark.parametrize("ruled", [True, False], ids=["ruled", "aligned"])
@example(drawn=TWO_TABLES)
@given(drawn=DOCUMENTS)
@settings(max_examples=20, deadline=None)
def test_words_of_a_pdf(ruled: bool, drawn: Sequence[tuple[str, Sequence[object]]]) -> None:
    found = parts(drawn)

    body = pdf.parse(printed(found, ruled))

    # Without rules, nothing says how far a cell reaches.
    check(body.text, [Article("page", body.title, body.text, "")], list(said(found, merged=ruled)))


@given(sizes=st.lists(st.integers(12, 60), min_size=6, max_size=20), number=st.integers(2, 3))
@settings(max_examples=15, deadline=None)
def test_words_of_a_pdf_in_columns(sizes: Sequence[int], number: int) -> None:
    found = parts([("text", [size]) for size in sizes])

    body = pdf.parse(documents.columns(*(documents.text(part.texts[0]) for part in found), number=number))

    check(body.text, [Article("page", "Page", body.text, "")], list(said(found, merged=False)))
    assert not any(line.startswith("|") for line in body.lines)


def printed(found: Sequence[Part], ruled: bool) -> bytes:
    story: list[Flowable] = []
    for part in found:
        for number, words in enumerate(part.texts, 1):
            mark = {"bullets": "• ", "steps": f"{number}. "}.get(part.kind, "")
            shown = documents.heading if part.kind == "heading" else documents.text
            story.append(shown(f"{mark}{words}"))
        if part.cells:
            fields = [[""] * part.width for _ in range(part.height)]
            for cell in part.cells:
                fields[cell.row][cell.column] = cell.text
            merged = [
                ("SPAN", (one.column, one.row), (one.column + one.columns - 1, one.row + one.rows - 1))
                for one in part.cells
            ]
            style = [*documents.GRID, *merged] if ruled else [("FONTNAME", (0, 0), (-1, 0), "Helvetica-Bold")]
            story += [Spacer(1, 12), Table(fields, style=style), Spacer(1, 12)]
    return documents.pdf(*story)


def office(found: Sequence[Part]) -> bytes:
    document = word.Document()
    for part in found:
        styles = {"heading": "Heading 2", "bullets": "List Bullet", "steps": "List Number"}
        for text in part.texts:
            document.add_paragraph(text, style=styles.get(part.kind))
        if part.cells:
            table = document.add_table(part.height, part.width)
            for cell in part.cells:
                corner = table.cell(cell.row + cell.rows - 1, cell.column + cell.columns - 1)
                merged = table.cell(cell.row, cell.column).merge(corner)
                merged.paragraphs[0].text = cell.text
    held = io.BytesIO()
    document.save(held)
    return held.getvalue()
