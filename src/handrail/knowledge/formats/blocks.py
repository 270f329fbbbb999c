"""Documents that a service has already taken apart: JSON of chunks, each with its type, page and box.

The chunks are of the types `text`, `table`, `figure`, `marginalia` and `logo`; what stands in margins and logos is left
out. A table is HTML or Markdown. Its cells stand where `grounding` says by their ids, or are listed in `cells`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from handrail.errors import KnowledgeError
from handrail.knowledge import Article, Rejected, Skipped, Unpublished
from handrail.knowledge.formats import Document, rows
from handrail.knowledge.formats.body import Body, article, prose
from handrail.knowledge.formats.cells import Cell, read_cells
from handrail.knowledge.formats.pages import given
from handrail.knowledge.grid import Grids
from handrail.text.markdown import NEWLINE
from handrail.types import Place

NOISE = frozenset({"marginalia", "logo", "page_header", "page_footer", "page_number"})
ANCHOR = re.compile(r"<a\s+id=['\"][^'\"<>]{0,200}['\"]\s*>\s*</a>")
DESCRIBED = re.compile(r"<::|(?:\s*:\s*\w{1,30})?\s*::>")
"""Around what a machine says of a figure."""
HEADING = re.compile(r"(#{1,6})\s+(\S.*?)[\s#]*$")
SIDES = (("left", "top", "right", "bottom"), ("l", "t", "r", "b"), ("x0", "y0", "x1", "y1"))


class Blocks:
    suffixes = frozenset({".json"})

    def read(self, document: Document) -> Iterator[Article | Rejected | Unpublished]:
        said = _loaded(document.text())
        if isinstance(said, list):
            yield from rows.articles(document, ((f"item {number}", row) for number, row in enumerate(said, 1)))
            return
        parsed = _parsed(said)
        if parsed is None:
            why = "neither a parsed document (an object with `chunks`) nor a list of questions and answers"
            yield Skipped(str(document.path), why)
            return
        reader = _Reader(parsed)
        body = reader.body()
        if not body.lines:
            raise KnowledgeError("none of its chunks holds text")
        pages = given(document, parsed.get("pages"), from_zero=reader.from_zero)
        yield article(document, body, _fields(said) | _fields(parsed), pages)


def _fields(said: Mapping[str, Any]) -> dict[str, Any]:
    """What is said of the document, beside its chunks or in its `metadata`."""
    inner = said.get("metadata")
    both = {**(inner if isinstance(inner, Mapping) else {}), **said}
    return {str(key).casefold(): value for key, value in both.items() if not isinstance(value, Mapping)}


def _loaded(text: str) -> Any:
    try:
        return json.loads(text)
    except RecursionError:
        raise KnowledgeError("nested too deeply") from None
    except ValueError as error:
        raise KnowledgeError(f"not JSON: {str(error)[:100]}") from None


def _parsed(said: Any) -> Mapping[str, Any] | None:
    """The object that has the chunks; services put it under `data` or `result`."""
    for held in (said, *(said.get(key) for key in ("data", "result") if isinstance(said, Mapping))):
        if isinstance(held, Mapping) and isinstance(held.get("chunks"), list):
            return held
    return None


class _Reader:
    def __init__(self, parsed: Mapping[str, Any]) -> None:
        self._chunks = [chunk for chunk in parsed["chunks"] if isinstance(chunk, Mapping)]
        grounding = parsed.get("grounding")
        self._grounding = grounding if isinstance(grounding, Mapping) else {}
        pages = [page for chunk in self._chunks for page in map(_page, _stands(chunk)) if page is not None]
        self.from_zero = min(pages, default=0) == 0
        """Services count pages from 0; a document none of whose chunks is on page 0 is counted from 1."""
        self._body = Body()
        self._grids = Grids()

    def body(self) -> Body:
        for chunk in self._chunks:
            kind = str(chunk.get("type") or chunk.get("chunk_type") or "text").casefold().removeprefix("chunk")
            text = chunk.get("markdown") or chunk.get("text") or chunk.get("content") or ""
            text = ANCHOR.sub("", text).strip() if isinstance(text, str) else ""
            if kind in NOISE:
                continue
            places = [place for one in _stands(chunk) if (place := self._place(one))]
            if kind == "figure":
                self._body.figure(DESCRIBED.sub("", text), places)
                continue
            cells, loose = read_cells(chunk.get("cells"), text) if kind == "table" else ([], "")
            if not cells:
                self._text(text, places)
                continue
            if loose:
                self._body.add([prose(loose)], [places])
            self._table(cells, places, str(chunk.get("title") or chunk.get("caption") or ""))
        return self._body

    def _text(self, text: str, places: Sequence[Place]) -> None:
        lines = NEWLINE.split(text)
        if not self._body.title and not self._body.lines and (first := HEADING.match(lines[0])):
            self._body.title = first[2]
            lines = NEWLINE.split("\n".join(lines[1:]).strip())
        if any(lines):
            self._body.add(lines, [places] * len(lines))

    def _table(self, cells: Sequence[Cell], places: Sequence[Place], title: str) -> None:
        """A row stands where its cells do, or where the table does if nothing is said of them."""
        standing = {(cell.row, cell.column): (cell.text, cell.rows, cell.columns) for cell in cells}
        rows = self._grids.spread(standing, len, "")
        stands: list[list[Place]] = [[] for _ in rows]
        for cell in cells:
            ground = cell.ground or self._grounding.get(cell.id)
            if place := self._place(ground):
                for row in range(cell.row, min(cell.row + cell.rows, len(rows))):
                    stands[row].append(place)
        self._body.table(rows, [found or places for found in stands], title)

    def _place(self, ground: Any) -> Place | None:
        page = _page(ground)
        return None if page is None else Place(page + self.from_zero, _box(ground))


def _stands(chunk: Mapping[str, Any]) -> list[Any]:
    """Where a chunk stands: in its `grounding`, one or several, or in fields of its own."""
    ground = chunk.get("grounding")
    if isinstance(ground, list):
        return ground
    return [ground] if isinstance(ground, Mapping) else [chunk]


def _page(ground: Any) -> int | None:
    page = ground.get("page") if isinstance(ground, Mapping) else None
    return page if type(page) is int and 0 <= page < 1_000_000 else None


def _box(ground: Mapping[str, Any]) -> tuple[float, float, float, float] | None:
    """None where it is not in shares of the page."""
    said = ground.get("box") or ground.get("bbox")
    if isinstance(said, Mapping):
        names = next((names for names in SIDES if all(name in said for name in names)), ())
        said = [said[name] for name in names]
    if not isinstance(said, list) or len(said) != 4 or not all(type(side) in (int, float) for side in said):
        return None
    try:
        left, top, right, bottom = (round(float(side), 4) for side in said)
    except OverflowError:
        return None
    return (left, top, right, bottom) if 0 <= left <= right <= 1 and 0 <= top <= bottom <= 1 else None
