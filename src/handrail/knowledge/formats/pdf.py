"""PDF: headings by size or weight, tables, and on which page and where on it each line stands."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from handrail.errors import KnowledgeError
from handrail.knowledge import Article, Rejected, Unpublished
from handrail.knowledge.formats import Document
from handrail.knowledge.formats.aligned import Cells, Word, aligned, around
from handrail.knowledge.formats.apart import read_apart
from handrail.knowledge.formats.body import Body, article
from handrail.knowledge.formats.layout import SAME_LINE, Line, Table, write
from handrail.types import Place

MOST_PAGES = 2000
END, END_WITHIN = b"%%EOF", 2048
"""How a PDF ends, and within how many bytes. Of one that was cut short, the library reads what is left in silence."""
_Box = tuple[float, float, float, float]
COLUMN = 0.45
"""Share of a page's width behind which the lines of a second column begin."""
TITLES_OF_PROGRAMS = ("untitled", "(anonymous)", "microsoft word", "microsoft powerpoint", "document")


class Pdf:
    suffixes = frozenset({".pdf"})

    def read(self, document: Document) -> Iterator[Article | Rejected | Unpublished]:
        # Here, since the process in which a document is read apart needs none of it.
        from handrail.knowledge.formats.pages import PdfPages

        data = document.data()
        yield article(document, read_apart(__name__, "pdfplumber", data), pages=PdfPages(document, data))


def parse(data: bytes) -> Body:
    """Raises KnowledgeError for what is damaged, protected by a password, or holds pictures of pages only."""
    import pdfplumber
    from pdfminer.pdfdocument import PDFPasswordIncorrect

    if END not in data[-END_WITHIN:]:
        raise KnowledgeError("damaged or cut short: not a whole PDF; save it anew")
    try:
        with pdfplumber.open(io.BytesIO(data)) as opened:
            if len(opened.pages) > MOST_PAGES:
                raise KnowledgeError(f"has {len(opened.pages)} pages, more than {MOST_PAGES}; split it")
            pages = []
            for page in opened.pages:
                pages.append(_page(page))
                page.close()
            said = str((opened.metadata or {}).get("Title") or "").strip()
    except KnowledgeError:
        raise
    except Exception as error:
        if any(isinstance(one, PDFPasswordIncorrect) for one in (error, *error.args)):
            raise KnowledgeError("protected by a password; save it without one") from None
        name = type(error).__name__
        raise KnowledgeError(f"damaged or cut short: not a whole PDF ({name}); save it anew") from error
    if not any(pages):
        raise KnowledgeError("holds no text: its pages may be pictures; run text recognition on it first")
    body = write(pages)
    if not body.title and said and not said.casefold().startswith(TITLES_OF_PROGRAMS):
        body.title = said
    return body


def _page(page: Any) -> list[Line | Table]:
    """What stands on it, in reading order."""
    width, height = float(page.width) or 1.0, float(page.height) or 1.0
    number = page.page_number

    def place(box: Sequence[float]) -> Place:
        left, top, right, bottom = box
        shares = ((left - x0) / width, (top - y0) / height, (right - x0) / width, (bottom - y0) / height)
        return Place(number, tuple(round(min(1.0, max(0.0, share)), 4) for share in shares))

    x0, y0 = page.bbox[:2]
    tables = [table for table in page.find_tables() if len(table.rows) > 1 and len(table.columns) > 1]
    inside = [table.bbox for table in tables]
    words = page.extract_words(use_text_flow=True, extra_attrs=["size", "fontname"])
    outside = [word for word in words if not any(_within(word, box) for box in inside)]
    rules = [(one["x0"], one["top"], one["x1"], one["bottom"]) for one in (*page.lines, *page.rects)]
    unruled = list(aligned(outside, rules))
    held = {id(word) for grid in unruled for row in grid for cell in row for word in cell}
    prose = [word for word in outside if id(word) not in held]
    found: list[Line | Table] = [Line.of(line, place(around(line))) for line in _lines(prose)]
    shown = [(table.bbox, _table(table, place)) for table in tables]
    shown += [
        (around([word for row in grid for cell in row for word in cell]), _aligned(grid, place)) for grid in unruled
    ]
    for box, table in sorted(shown, key=lambda one: one[0][1]):
        found.insert(_where(found, place(box)), table)
    return found


def _aligned(grid: Cells, place: Callable[[Sequence[float]], Place]) -> Table:
    texts = [[" ".join(word["text"] for word in cell) for cell in row] for row in grid]
    boxes = [dict.fromkeys(around(cell) for cell in row if cell) for row in grid]
    return Table(texts, [[place(box) for box in row] for row in boxes])


def _where(found: Sequence[Line | Table], table: Place) -> int:
    """Behind what stands next above a table. Text may be drawn in another order than from top to bottom."""
    left, top, right, _ = table.box or (0.0, 0.0, 1.0, 1.0)
    boxes = [(one.place if isinstance(one, Line) else one.places[0][0]).box or (0.0, 0.0, 0.0, 0.0) for one in found]
    # A caption is often narrower than its table; only columns of text say that what is beside it belongs elsewhere.
    columns = sum(box[0] > COLUMN for box in boxes) * 4 > len(boxes)
    above = [
        n for n, box in enumerate(boxes) if box[3] <= top + 0.01 and (not columns or (box[0] < right and box[2] > left))
    ]
    if above:
        return 1 + max(above, key=lambda n: boxes[n][3])
    return next((n for n, box in enumerate(boxes) if box[1] >= top), len(found))


def _within(word: Word, box: Sequence[float]) -> bool:
    x, y = (word["x0"] + word["x1"]) / 2, (word["top"] + word["bottom"]) / 2
    return bool(box[0] <= x <= box[2] and box[1] <= y <= box[3])


def _lines(words: Sequence[Word]) -> Iterator[list[Word]]:
    """Words that follow one another to the right at about the same height."""
    line: list[Word] = []
    for word in words:
        if line:
            last = line[-1]
            level = abs(word["bottom"] - last["bottom"]) <= SAME_LINE * max(last["size"], word["size"])
            if not level or word["x0"] < last["x0"]:
                yield line
                line = []
        line.append(word)
    if line:
        yield line


def _table(table: Any, place: Callable[[Sequence[float]], Place]) -> Table:
    """A field that a merged cell covers says what that cell says."""
    boxes = [row.cells for row in table.rows]
    texts: dict[_Box, str] = {
        box: " ".join((text or "").split())
        for row, said in zip(boxes, table.extract(), strict=True)
        for box, text in zip(row, said, strict=True)
        if box
    }
    columns = [next((row[n][0] for row in boxes if row[n]), 0.0) for n in range(len(boxes[0]))]
    grid, places = [], []
    for row in boxes:
        top = max((box[1] for box in row if box), default=None)
        if top is None:
            continue
        covering = [box or _covering(texts, column, top) for box, column in zip(row, columns, strict=True)]
        grid.append([texts.get(box, "") if box else "" for box in covering])
        places.append([place(box) for box in dict.fromkeys(covering) if box])
    return Table(grid, places)


def _covering(texts: Iterable[_Box], left: float, top: float) -> _Box | None:
    """The cell that reaches over the field whose upper left corner this is."""
    inside = (box for box in texts if box[0] - 1 <= left < box[2] - 1 and box[1] - 1 <= top < box[3] - 1)
    return next(inside, None)
