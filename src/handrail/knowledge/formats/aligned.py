"""Tables without ruling lines: cells that only stand under one another, on a page of a PDF.

Rows are made of words at one height, and columns of what no gap runs through. That is true of prose in columns and of
lists as well, so something else has to tell of a table: a caption, a header in bold, a rule, or figures below words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import mean, median
from typing import Any

from handrail.knowledge.formats.body import BULLET
from handrail.knowledge.formats.layout import CAPTION, SAME_LINE, is_bold

Word = Mapping[str, Any]
Box = tuple[float, float, float, float]
Cells = Sequence[Sequence[Sequence[Word]]]
"""The words of each cell, by row and column."""

GAP, RIVER = 1.0, 0.8
"""Times the size of the text: what parts the cells of a row at least, and two columns."""
FEWEST = 3
"""Rows of several cells, the header among them."""
FAR = 3.0
"""Times the size of the text by which two rows of a table stand apart at most."""
APART = 1.4
"""Times the widest gap between rows, and the size of the text: what parts a table from a line of prose at least."""
COLUMN = 6.0
"""Times the size of the text by which the text jumps up where another column of the page begins."""
LONG_CELL, FULL_CELL = 4, 0.65
"""Words of a line of prose, and the share of its column that it fills, on average at least."""
LEADING = 1.35
"""Times the size of the text from one line of a cell to its next at most."""
MOST_LINES = 6
"""Of one cell."""
MARKER = re.compile(r"\W|\(?\w{1,3}[.):]")
"""What stands alone before an item of a list."""
NUMBERS = re.compile(r"\d+(?:\.\d+)*")
"""As in front of chapters, or behind them in a table of contents: a column of a table has a name."""
DIGIT = re.compile(r"\d")


def aligned(words: Sequence[Word], rules: Sequence[Box]) -> Iterator[Cells]:
    """The tables among `words`, which are in the order in which they were drawn. `rules` are lines and filled areas."""
    for strand in _strands(words):
        rows = _rows(strand)
        for start, end in _runs(rows):
            found = _Run(rows[start:end], rules, rows[start - 1] if start else None).table()
            if found is not None:
                yield found


def around(words: Sequence[Word]) -> Box:
    """Left, top, right and bottom."""
    left, top = (min(word[edge] for word in words) for edge in ("x0", "top"))
    right, bottom = (max(word[edge] for word in words) for edge in ("x1", "bottom"))
    return left, top, right, bottom


@dataclass(frozen=True, slots=True)
class _Row:
    """Words at one height, and the stretches of them between wide gaps."""

    stretches: Sequence[Sequence[Word]]
    size: float
    top: float
    bottom: float

    @property
    def text(self) -> str:
        return " ".join(word["text"] for stretch in self.stretches for word in stretch)


def _strands(words: Sequence[Word]) -> Iterator[list[Word]]:
    """Words that run down one column of the page."""
    strand: list[Word] = []
    for word in words:
        if strand and strand[-1]["top"] - word["top"] > COLUMN * word["size"]:
            yield strand
            strand = []
        strand.append(word)
    if strand:
        yield strand


def _rows(words: Sequence[Word]) -> list[_Row]:
    rows: list[list[Word]] = []
    for word in sorted(words, key=lambda word: word["bottom"]):
        if rows and word["bottom"] - rows[-1][0]["bottom"] <= SAME_LINE * word["size"]:
            rows[-1].append(word)
        else:
            rows.append([word])
    return [_row(sorted(row, key=lambda word: word["x0"])) for row in rows]


def _row(words: Sequence[Word]) -> _Row:
    size = median(word["size"] for word in words)
    stretches = [[words[0]]]
    for last, word in pairwise(words):
        if word["x0"] - last["x1"] > GAP * size:
            stretches.append([])
        stretches[-1].append(word)
    _, top, _, bottom = around(words)
    return _Row(stretches, size, top, bottom)


def _runs(rows: Sequence[_Row]) -> Iterator[tuple[int, int]]:
    """Rows that follow one another closely, each with several stretches or with one that could be a cell."""
    start = last = -1
    for at, row in enumerate(rows):
        near = start >= 0 and row.top - rows[at - 1].bottom <= FAR * row.size
        several = len(row.stretches) > 1
        alone = near and not several and _stands_apart(rows[start : at + 1])
        if start >= 0 and not (near and (several or (not alone and _could_be_cell(row, rows[last])))):
            yield start, last + 1
            start = -1
        if several:
            start, last = (at if start < 0 else start), at
    if start >= 0:
        yield start, last + 1


def _stands_apart(rows: Sequence[_Row]) -> bool:
    """Whether the last is farther from the one above than those are from each other, as prose below a table is."""
    *before, gap = (below.top - above.bottom for above, below in pairwise(rows))
    return bool(before) and gap > APART * max(rows[-1].size, *before)


def _could_be_cell(row: _Row, beside: _Row) -> bool:
    """Whether the only stretch of `row` stands under just one of another's."""
    left, right = row.stretches[0][0]["x0"], row.stretches[0][-1]["x1"]
    over = [one for one in beside.stretches if left < one[-1]["x1"] and one[0]["x0"] < right]
    return len(over) == 1


class _Run:
    def __init__(self, rows: Sequence[_Row], rules: Sequence[Box], above: _Row | None) -> None:
        self._rows = rows
        self._rules = rules
        self._above = above
        self._size = median(row.size for row in rows)
        self._columns = self._between_rivers()

    def table(self) -> Cells | None:
        """None where it is prose, a list, or nothing that tells of a table."""
        if len(self._columns) < 2 or len(self._rows) < FEWEST:
            return None
        lines = [self._cells(row) for row in self._rows]
        several = [line for line in lines if sum(map(bool, line)) > 1]
        if len(several) < max(FEWEST, 0.5 * len(lines)) or self._listed(lines) or self._prose(lines):
            return None
        grid = self._joined(lines)
        return grid if len(grid) >= FEWEST and self._told(grid) else None

    def _between_rivers(self) -> list[tuple[float, float]]:
        """Columns; in a table of some height one row, such as a header over several of them, may cross a river."""
        crossing = 1 if len(self._rows) > FEWEST else 0
        edges = sorted(
            edge for row in self._rows for one in row.stretches for edge in ((one[0]["x0"], 1), (one[-1]["x1"], -1))
        )
        columns: list[tuple[float, float]] = []
        covered, begin = 0, 0.0
        for x, step in edges:
            before, covered = covered, covered + step
            if before <= crossing < covered:
                begin = x
            elif covered <= crossing < before:
                if columns and begin - columns[-1][1] < RIVER * self._size:
                    begin = columns.pop()[0]
                columns.append((begin, x))
        return columns

    def _cells(self, row: _Row) -> list[list[Word]]:
        """What reaches over several columns stands in each of them."""
        cells: list[list[Word]] = [[] for _ in self._columns]
        for at, one in enumerate(row.stretches):
            left, right = one[0]["x0"], one[-1]["x1"]
            held = [n for n, (begin, end) in enumerate(self._columns) if left < end and begin < right]
            if not held:
                held = [min(range(len(cells)), key=lambda n: abs(self._columns[n][0] - left))]
            before = row.stretches[at - 1][-1]["x1"] if at else 0.0
            if self._reaches_left(held[0], left, before):
                held = [held[0] - 1, *held]
            for n in held:
                cells[n].extend(one)
        return cells

    def _reaches_left(self, first: int, left: float, before: float) -> bool:
        """Whether what stands in the middle of several columns begins right of the words in the first of them."""
        return first > 1 and left < self._columns[first][0] - self._size and before < self._columns[first - 1][0]

    def _listed(self, lines: Cells) -> bool:
        """Whether a column holds nothing but the marks of a list, or one of items."""
        for column in zip(*lines, strict=True):
            said = [_text(cell) for cell in column if cell]
            if sum(bool(MARKER.fullmatch(text) or BULLET.match(text)) for text in said) * 2 > len(said):
                return True
            if all(map(NUMBERS.fullmatch, said)):
                return True
        return False

    def _prose(self, lines: Cells) -> bool:
        """Whether every column is full of lines of text."""
        for (begin, end), column in zip(self._columns, zip(*lines, strict=True), strict=True):
            cells = [cell for cell in column if cell]
            filled = mean((cell[-1]["x1"] - cell[0]["x0"]) / (end - begin) for cell in cells)
            if mean(map(len, cells)) < LONG_CELL or filled < FULL_CELL:
                return False
        return True

    def _joined(self, lines: Cells) -> Cells:
        """Lines of one row together: those that stand closer than rows do, else those whose first cell is empty."""
        near = [below.top - above.top <= LEADING * self._size for above, below in pairwise(self._rows)]
        groups = _grouped(lines, near)
        if all(near) or max(map(len, groups)) > MOST_LINES or len(groups) < FEWEST:
            groups = _grouped(lines, [not line[0] for line in lines[1:]])
        return [[[word for cell in column for word in cell] for column in zip(*group, strict=True)] for group in groups]

    def _told(self, grid: Cells) -> bool:
        """Whether anything besides the places of its words says that it is a table."""
        head, *rest = grid
        bold = all(is_bold(word) for cell in head for word in cell)
        if bold and not all(is_bold(word) for row in rest for cell in row for word in cell):
            return True
        if self._above is not None and CAPTION.match(self._above.text):
            return True
        named = [n for n, cell in enumerate(head) if cell and not DIGIT.search(_text(cell))]
        below = {n: [_text(row[n]) for row in rest if row[n]] for n in named}
        if any(said and sum(bool(DIGIT.search(text)) for text in said) * 2 > len(said) for said in below.values()):
            return True
        return any(map(self._ruled, self._rules))

    def _ruled(self, rule: Box) -> bool:
        """Whether a line or a filled area runs along a row."""
        left, right = self._columns[0][0], self._columns[-1][1]
        first, last = self._rows[0].top - self._size, self._rows[-1].bottom + self._size
        across = min(rule[2], right) - max(rule[0], left)
        return across > 0.8 * (right - left) and first <= rule[1] and rule[3] <= last


def _grouped(lines: Cells, joins: Sequence[bool]) -> list[list[Sequence[Sequence[Word]]]]:
    """`joins` says of each line but the first whether it belongs to the one before."""
    groups = [[lines[0]]]
    for line, joined in zip(lines[1:], joins, strict=True):
        if joined:
            groups[-1].append(line)
        else:
            groups.append([line])
    return groups


def _text(words: Sequence[Word]) -> str:
    return " ".join(word["text"] for word in words)
