"""Word documents: headings by their styles, lists, tables with merged cells, descriptions of pictures."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from typing import Any

from handrail.errors import KnowledgeError
from handrail.knowledge import Article, Rejected, Unpublished
from handrail.knowledge.formats import Document
from handrail.knowledge.formats.apart import read_apart
from handrail.knowledge.formats.body import Body, article, prose
from handrail.knowledge.grid import WIDEST, Grids, Spanning, number

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
PICTURE = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}docPr"
GONE = frozenset({W + "del", W + "moveFrom", W + "instrText", W + "pPr", W + "rPr", W + "tbl", FALLBACK})
"""What holds no text of its paragraph as it now stands."""
DEEPEST = 5
"""Of an item of a list, from 0."""
UNPACKED = 200_000_000
"""Bytes of all parts of a document."""


class Docx:
    suffixes = frozenset({".docx"})

    def read(self, document: Document) -> Iterator[Article | Rejected | Unpublished]:
        yield article(document, read_apart(__name__, "docx", document.data()))


def parse(data: bytes) -> Body:
    """Raises KnowledgeError for what is no Word document, or too large unpacked."""
    import docx
    from docx.oxml.ns import qn

    _check(data)
    try:
        opened = docx.Document(io.BytesIO(data))
        reader = _Reader(opened)
        for element in opened.element.body.iterchildren(qn("w:p"), qn("w:tbl"), qn("w:sdt")):
            reader.read(element)
        reader.end_list()
    except KnowledgeError:
        raise
    except Exception as error:
        raise KnowledgeError(f"not a Word document that can be read ({type(error).__name__}); save it anew") from error
    return reader.body


def _check(data: bytes) -> None:
    """The directory of an archive says how large its parts are, and no more is unpacked of each."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            size = sum(part.file_size for part in archive.infolist())
    except (zipfile.BadZipFile, ValueError, OSError) as error:
        raise KnowledgeError("damaged or cut short: not a whole .docx file; save it anew") from error
    if size > UNPACKED:
        raise KnowledgeError(f"unpacks to {size:,} bytes, more than the {UNPACKED:,} a document may have")


class _Reader:
    def __init__(self, opened: Any) -> None:
        self.body = Body()
        self._styles = {style.style_id: style for style in opened.styles}
        self._bullets = _bullets(opened)
        self._items: list[str] = []
        self._caption = ""
        self._grids = Grids()

    def read(self, element: Any) -> None:
        if element.tag == W + "tbl":
            self.end_list()
            self.body.table(self._grids.spread(_cells(element), len, ""), title=self._caption)
            self._caption = ""
        elif element.tag == W + "p":
            self._paragraph(element)
        else:
            for inner in element.iterchildren(W + "sdtContent"):
                for child in inner:
                    self.read(child)

    def _paragraph(self, element: Any) -> None:
        text = _text(element)
        style = self._style(element)
        level = _level(style)
        numbered = self._numbered(element, style)
        if text.strip() and not (numbered and level is None):
            self.end_list()
        if not text.strip():
            pass
        elif style.startswith("title") and not self.body.title:
            self.body.title = " ".join(text.split())
        elif level is not None:
            self.body.heading(level + 1, text)
        elif numbered:
            depth, bullet = numbered
            self._items.append(f"{'   ' * depth}{'-' if bullet else '1.'} {prose(text)}")
        elif style == "caption":
            self._caption = " ".join(text.split())
            self._next_to(element)
        else:
            self.body.add([prose(line) for line in text.split("\n") if line.strip()])
        for picture in element.iter(PICTURE):
            if said := (picture.get("descr") or "").strip():
                self.end_list()
                self.body.figure(said)

    def _next_to(self, element: Any) -> None:
        """A caption above a table becomes its title; any other is text."""
        below = element.getnext()
        if below is None or below.tag != W + "tbl":
            self.body.add([prose(self._caption)])
            self._caption = ""

    def end_list(self) -> None:
        if self._items:
            self.body.add(self._items)
            self._items = []

    def _style(self, element: Any) -> str:
        named = element.find(f"{W}pPr/{W}pStyle")
        style = self._styles.get(named.get(W + "val")) if named is not None else None
        return (style.name or "").casefold() if style is not None else ""

    def _numbered(self, element: Any, style: str) -> tuple[int, bool] | None:
        """How deep an item of a list is, and whether it is a bullet; None for any other paragraph."""
        number = element.find(f"{W}pPr/{W}numPr")
        if number is None:
            listed = style.startswith("list ") and not style.startswith("list continue")
            return (0, "number" not in style) if listed else None
        depth, id_ = (number.find(W + name) for name in ("ilvl", "numId"))
        deep = number(depth.get(W + "val"), DEEPEST, 0) if depth is not None else 0
        held = id_.get(W + "val", "0") if id_ is not None else "0"
        return (deep, (held, deep) in self._bullets) if held != "0" else None


def _bullets(opened: Any) -> frozenset[tuple[str, int]]:
    """The lists and depths at which items are not numbered."""
    part = next((one.target_part for one in opened.part.rels.values() if one.reltype.endswith("/numbering")), None)
    root = getattr(part, "element", None)
    if root is None:
        return frozenset()
    plain = {
        (kind.get(W + "abstractNumId"), number(level.get(W + "ilvl"), DEEPEST, 0))
        for kind in root.iterchildren(W + "abstractNum")
        for level in kind.iterchildren(W + "lvl")
        for shown in level.iterchildren(W + "numFmt")
        if shown.get(W + "val") in ("bullet", "none")
    }
    kinds = {
        number.get(W + "numId"): of.get(W + "val")
        for number in root.iterchildren(W + "num")
        for of in number.iterchildren(W + "abstractNumId")
    }
    return frozenset((id_, level) for id_, kind in kinds.items() for held, level in plain if held == kind)


def _level(style: str) -> int | None:
    """From 1, of a heading."""
    name, _, number = style.rpartition(" ")
    if name == "heading" and number.isdecimal():
        return int(number)
    return 1 if style == "title" else None


def _text(element: Any) -> str:
    return "".join(_pieces(element)).replace("\u00ad", "")


def _pieces(element: Any) -> Iterator[str]:
    for child in element:
        if child.tag == W + "t":
            yield child.text or ""
        elif child.tag == W + "tab":
            yield " "
        elif child.tag in (W + "br", W + "cr"):
            yield "\n"
        elif child.tag == W + "noBreakHyphen":
            yield "-"
        elif child.tag not in GONE:
            yield from _pieces(child)
            if child.tag == W + "p":
                yield "\n"


def _cells(table: Any) -> dict[tuple[int, int], Spanning[str]]:
    """By row and column; a cell within which another table stands holds its text."""
    cells: dict[tuple[int, int], Spanning[str]] = {}
    above: dict[int, tuple[int, int]] = {}
    for row, line in enumerate(_children(table, "tr")):
        column = _before(line)
        for cell in _children(line, "tc"):
            span, merged = (cell.find(f"{W}tcPr/{W}{name}") for name in ("gridSpan", "vMerge"))
            width = number(span.get(W + "val"), WIDEST) if span is not None else 1
            goes_on = merged is not None and merged.get(W + "val", "continue") == "continue"
            if goes_on and column in above:
                text, _, columns = cells[above[column]]
                cells[above[column]] = (text, row - above[column][0] + 1, columns)
            else:
                cells[row, column] = (_inside(cell), 1, width)
                above[column] = (row, column)
            column += width
    return cells


def _children(element: Any, name: str) -> Iterator[Any]:
    """Those of that name, also where content controls surround them."""
    for child in element:
        if child.tag == W + name:
            yield child
        elif child.tag in (W + "sdt", W + "sdtContent"):
            yield from _children(child, name)


def _before(row: Any) -> int:
    """Columns that the row leaves out at its start."""
    left = row.find(f"{W}trPr/{W}gridBefore")
    return number(left.get(W + "val"), WIDEST, 0) if left is not None else 0


def _inside(cell: Any) -> str:
    return " ".join(" ".join(_text(line).split()) for line in _paragraphs(cell)).strip()


def _paragraphs(element: Any) -> Iterator[Any]:
    """Those of a cell and of the tables in it, each with all that stands within it."""
    for child in element:
        if child.tag == W + "p":
            yield child
        elif child.tag == W + "tbl" or child.tag not in GONE:
            yield from _paragraphs(child)
