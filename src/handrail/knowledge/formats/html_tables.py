"""Tables of an HTML page made ready for Markdown."""

from __future__ import annotations

from copy import copy

from bs4.element import PageElement, Tag

from handrail.knowledge.grid import TALLEST, WIDEST, Grids, Spanning, number, placed

PARTS = ("thead", "tbody", "tfoot", "tr", "td", "th", "caption")
"""Of a table."""


def new(name: str, text: str = "") -> Tag:
    """A tag that stands nowhere yet."""
    tag = Tag(name=name)
    if text:
        tag.string = text
    return tag


def tables(root: Tag) -> None:
    """Every row a row of the table itself, and every cell that reaches over others written in each of them.

    A table within a cell is text of that cell. What a table says outside of its cells stands above it.
    """
    found = root.find_all("table")
    within = {id(table) for table in found if table.find_parent("table") is not None}
    for table in found:
        if id(table) in within:
            for part in (table, *table.find_all(PARTS)):
                part.name = "span"
                part.insert(0, " ")
    grids = Grids()
    for table in found:
        if id(table) not in within:
            _table(table, grids)


def _table(table: Tag, grids: Grids) -> None:
    caption = table.find("caption")
    spans: list[list[Spanning[Tag | None]]] = []
    above: list[PageElement] = []
    for row in table.find_all("tr"):
        line: list[Spanning[Tag | None]] = []
        for child in _emptied(row):
            if isinstance(child, Tag) and child.name in ("td", "th"):
                down, across = number(child.get("rowspan"), TALLEST), number(child.get("colspan"), WIDEST)
                child.attrs = {}
                line.append((child, down, across))
            else:
                above.append(child)
        spans.append(line)
    grid = grids.spread(placed(spans), lambda cell: len(str(cell)), None)
    written = new("table")
    used: set[int] = set()
    for cells in grid:
        row = new("tr")
        for cell in cells:
            row.append(new("td") if cell is None else copy(cell) if id(cell) in used else cell)
            used.add(id(cell))
        written.append(row)
    if caption is not None:
        caption.extract().name = "p"
    said = " ".join(filter(None, (one.get_text(" ", strip=True) for one in (table, *above))))
    table.clear()
    table.name, table.attrs = "div", {}
    if said:
        table.append(new("p", said))
    table.extend([caption, written] if caption is not None else [written])


def _emptied(tag: Tag) -> list[PageElement]:
    """Its children, taken out from behind: from the front, each would have to be looked for among all others."""
    return [tag.contents[at].extract(at) for at in reversed(range(len(tag.contents)))][::-1]
