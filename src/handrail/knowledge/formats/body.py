"""Writes Markdown for what was read from another format, and keeps where each line of it stood."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from handrail.knowledge import Article, Pages, Unpublished
from handrail.knowledge.formats import Document
from handrail.text.markdown import figure
from handrail.types import Place

MARK = re.compile(r"[*<>]|\\(?=[!-/:-@\[-`{-~])|&(?=#?\w+;)|(?<!\w)_|_(?!\w)|(?<=\])(?=\()|^\[|~(?=~)")
"""What Markdown takes for a mark within a line of prose."""
BLOCK = re.compile(r"^(?=#{1,6}(?:\s|$)|=+\s*$|-(?:[ \t]*-){2,}\s*$|~~~|```|-\s*$)")
"""Where a line of prose would begin another kind of block."""
BULLET = re.compile(r"^[•‣▪◦●○·∙–*](?=\s)|^[\uf0b7\uf0a7](?=\s)")
"""How documents print the mark of a list."""

Places = Sequence[Place]
Grid = Sequence[Sequence[str]]


class Body:
    """The lines of an article, block by block."""

    def __init__(self) -> None:
        self.title = ""
        self.lines: list[str] = []
        self.places: dict[int, tuple[Place, ...]] = {}

    def add(self, lines: Iterable[str], places: Iterable[Places] = ()) -> None:
        """One block. `places` are by line; lines behind the last of them have none."""
        if self.lines:
            self.lines.append("")
        stands = iter(places)
        for line in lines:
            where = tuple(next(stands, ()))
            if where:
                self.places[len(self.lines)] = where
            self.lines.append(line)

    def heading(self, level: int, text: str, places: Places = ()) -> None:
        self.add([f"{'#' * min(level, 6)} {prose(text)}"], [places])

    def table(self, rows: Grid, places: Sequence[Places] = (), title: str = "", above: Places = ()) -> None:
        """The first row names the columns. `places` are by row, `above` is where the title stands."""
        rows = [row for row in rows if row]
        if not any(cell.strip() for row in rows for cell in row):
            return
        if title:
            self.add([f"**{prose(title)}**"], [above])
        width = max(map(len, rows))
        head, *rest = [_row(row, width) for row in rows]
        stands = list(places) + [()] * (len(rows) - len(places))
        self.add([head, "|" + " --- |" * width, *rest], [stands[0], (), *stands[1:]])

    def figure(self, text: str, places: Places = ()) -> None:
        """What a machine says a figure shows."""
        lines = figure(" ".join(prose(line) for line in text.splitlines() if line.strip())).splitlines()
        self.add(lines, [places] * len(lines))

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def article(
    document: Document, body: Body, fields: Mapping[str, Any] | None = None, pages: Pages | None = None
) -> Article | Unpublished:
    """`fields` are what the document says of itself, by lower-case names. Raises NotClear and KnowledgeError."""
    # Here, since the process in which a document is read apart needs none of it.
    from handrail.knowledge.metadata import facets
    from handrail.knowledge.publication import held_back

    said = fields or {}
    if why := held_back(said):
        return Unpublished(document.id, str(document.path), why)
    title = str(said.get("title") or body.title or document.name)
    return Article(document.id, title, body.text, document.url, facets(said), body.places, pages)


def prose(text: str) -> str:
    """Text in one line that Markdown shows as it is; only what would be taken for a mark is escaped."""
    line = MARK.sub(r"\\\g<0>", " ".join(text.split()))
    return BLOCK.sub(r"\\", line)


def item(text: str) -> str:
    """A line of prose; one that begins with the printed mark of a list is an item."""
    bare = text.strip()
    marked = BULLET.match(bare)
    return f"- {prose(bare[marked.end() :])}" if marked else prose(bare)


def _row(cells: Sequence[str], width: int) -> str:
    shown = [prose(cell).replace("|", r"\|") for cell in cells] + [""] * (width - len(cells))
    return f"| {' | '.join(shown)} |"
