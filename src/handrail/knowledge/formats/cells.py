"""Cells of a table as document services give them: listed, or in HTML with ids."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any

from handrail.errors import KnowledgeError
from handrail.knowledge.formats.body import MOST_FIELDS, TOO_MANY

MOST_SPANNED = 10_000


@dataclass(frozen=True, slots=True)
class Cell:
    row: int
    column: int
    text: str
    rows: int = 1
    columns: int = 1
    id: str = ""
    ground: Any = None
    """Page and box, where the cell itself says them."""


def read_cells(listed: Any, html: str) -> list[Cell]:
    """Those listed, else those of the HTML; empty where there are none."""
    if isinstance(listed, list) and (found := [cell for cell in map(_listed, listed) if cell is not None]):
        return found
    if "<t" not in html.lower():
        return []
    parser = _Table()
    parser.feed(html)
    parser.close()
    return parser.cells()


def _listed(said: Any) -> Cell | None:
    if not isinstance(said, Mapping):
        return None
    row, column = said.get("row"), said.get("column", said.get("col"))
    if type(row) is not int or type(column) is not int or not (0 <= row < 10**6 and 0 <= column < 10**6):
        return None
    spans = (_span(said.get(name, said.get(name.replace("span", "_span")))) for name in ("rowspan", "colspan"))
    rows, columns = spans
    ground = said.get("grounding") or (said if "page" in said else None)
    text = said.get("text") or said.get("markdown") or ""
    return Cell(row, column, str(text), rows, columns, str(said.get("id") or ""), ground)


def _span(said: Any) -> int:
    try:
        return max(1, min(int(said), MOST_SPANNED))
    except (TypeError, ValueError, OverflowError):
        return 1


class _Table(HTMLParser):
    """The cells of all rows, in one grid; a table within a cell is text of that cell."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._rows: list[list[tuple[str, int, int, list[str]]]] = []
        self._depth = 0
        self._open = False
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = dict(attrs)
        if tag == "table":
            self._depth += 1
        elif tag in ("script", "style"):
            self._hidden += 1
        elif self._depth > 1:
            self._say(" ")
        elif tag == "tr":
            self._rows.append([])
            self._open = False
        elif tag in ("td", "th"):
            if not self._rows:
                self._rows.append([])
            self._rows[-1].append((said.get("id") or "", _span(said.get("rowspan")), _span(said.get("colspan")), []))
            self._open = True
        else:
            self._say(" " if tag in ("br", "p", "li", "div") else "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "table":
            self._depth = max(0, self._depth - 1)
        elif tag in ("script", "style"):
            self._hidden = max(0, self._hidden - 1)
        elif tag in ("td", "th", "tr") and self._depth <= 1:
            self._open = False

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self._say(data)

    def _say(self, text: str) -> None:
        if self._open:
            self._rows[-1][-1][3].append(text)

    def cells(self) -> list[Cell]:
        """Each in the first column that no cell of a row above reaches down into. Raises KnowledgeError."""
        found: list[Cell] = []
        below: dict[int, int] = {}
        fields = 0
        for row, line in enumerate(self._rows):
            column = 0
            for id_, rows, columns, text in line:
                fields += rows * columns
                if fields > MOST_FIELDS:
                    raise KnowledgeError(TOO_MANY)
                while below.get(column, 0) > row:
                    column += 1
                found.append(Cell(row, column, " ".join("".join(text).split()), rows, columns, id_))
                below.update({column + across: row + rows for across in range(columns)})
                column += columns
        return found
