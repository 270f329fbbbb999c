"""Cells of a table as document services give them: listed, or in HTML with ids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any

from handrail.knowledge.grid import TALLEST, WIDEST, number, placed


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


def read_cells(listed: Any, html: str) -> tuple[list[Cell], str]:
    """Those listed, else those of the HTML, and what that says outside of cells; empty where there are none.

    Raises KnowledgeError for a table of too many fields.
    """
    if isinstance(listed, list) and (found := [cell for cell in map(_listed, listed) if cell is not None]):
        return found, ""
    if "<t" not in html.lower():
        return [], ""
    parser = _Table()
    parser.feed(html)
    parser.close()
    return parser.cells(), _line(parser.loose)


def _listed(said: Any) -> Cell | None:
    if not isinstance(said, Mapping):
        return None
    row, column = said.get("row"), said.get("column", said.get("col"))
    if type(row) is not int or type(column) is not int or not (0 <= row < 10**6 and 0 <= column < 10**6):
        return None
    rows = number(said.get("rowspan", said.get("row_span")), TALLEST)
    columns = number(said.get("colspan", said.get("col_span")), WIDEST)
    ground = said.get("grounding") or (said if "page" in said else None)
    text = said.get("text") or said.get("markdown") or ""
    return Cell(row, column, str(text), rows, columns, str(said.get("id") or ""), ground)


def _line(pieces: Sequence[str]) -> str:
    return " ".join("".join(pieces).split())


class _Table(HTMLParser):
    """The cells of all rows, in one grid; a table within a cell is text of that cell."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._rows: list[list[tuple[str, int, int, list[str]]]] = []
        self.loose: list[str] = []
        """What is said outside of all cells."""
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
            spans = number(said.get("rowspan"), TALLEST), number(said.get("colspan"), WIDEST)
            self._rows[-1].append((said.get("id") or "", *spans, []))
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
            self.loose.append(" ")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self._say(data)

    def _say(self, text: str) -> None:
        (self._rows[-1][-1][3] if self._open else self.loose).append(text)

    def cells(self) -> list[Cell]:
        """Raises KnowledgeError."""
        rows = (((cell, cell[1], cell[2]) for cell in line) for line in self._rows)
        return [
            Cell(row, column, _line(text), rows, columns, id_)
            for (row, column), ((id_, rows, columns, text), _, _) in placed(rows).items()
        ]
