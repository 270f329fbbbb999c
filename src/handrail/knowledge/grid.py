"""Tables with merged cells: where each cell stands, and what it says in every field that it reaches into.

A few characters can ask for any number of fields, and for a text of any length in each of them. Both are counted.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from handrail.errors import KnowledgeError

T = TypeVar("T")
Spanning = tuple[T, int, int]
"""A cell, and how many rows and columns it reaches over."""

WIDEST, TALLEST = 1000, 65_534
"""Columns and rows of one cell, as HTML has them."""
MOST_FIELDS = 1_000_000
MOST_REPEATED = 200_000
"""Characters that the merged cells of an article may repeat; beyond them, a cell says what it says once."""
TOO_MANY = f"tables of more than {MOST_FIELDS:,} fields, merged ones counted; split the article"


def number(said: object, most: int, least: int = 1) -> int:
    """What an attribute counts, between `least` and `most`; `least` for what is no number."""
    digits = str(said).strip().lstrip("0")
    if not (digits.isascii() and digits.isdecimal()):
        return least
    return most if len(digits) > len(str(most)) else max(least, min(int(digits), most))


def placed(rows: Iterable[Iterable[Spanning[T]]]) -> dict[tuple[int, int], Spanning[T]]:
    """Cells by row and column: each in the first column into which no cell from above reaches.

    Raises KnowledgeError for a table of too many fields.
    """
    found: dict[tuple[int, int], Spanning[T]] = {}
    taken: dict[int, int] = {}
    """By column, the row from which it is free."""
    steps = 0
    for row, line in enumerate(rows):
        column = 0
        for cell in line:
            first = column
            while taken.get(column, 0) > row:
                column += 1
            steps += column - first + cell[2]
            if steps > MOST_FIELDS:
                raise KnowledgeError(TOO_MANY)
            found[row, column] = cell
            taken.update((column + across, row + cell[1]) for across in range(cell[2]))
            column += cell[2]
    return found


class Grids:
    """The tables of one article, which share what merged cells may add to it."""

    def __init__(self) -> None:
        self._fields = MOST_FIELDS
        self._repeated = MOST_REPEATED

    def spread(self, cells: Mapping[tuple[int, int], Spanning[T]], size: Callable[[T], int], empty: T) -> list[list[T]]:
        """Rows of equal length, a merged cell in each of its fields; `empty` where there is none.

        Columns in which no cell begins, and rows behind the last cell, are left out: nobody sees them. Raises
        KnowledgeError for tables of too many fields.
        """
        begins = sorted({column for _, column in cells})
        height = max((row for row, _ in cells), default=-1) + 1
        reaching = [
            (
                cell,
                row,
                row + min(rows, height - row),
                bisect_left(begins, column),
                bisect_left(begins, column + columns),
            )
            for (row, column), (cell, rows, columns) in cells.items()
        ]
        reached = sum((below - row) * (right - left) for _, row, below, left, right in reaching)
        self._fields -= max(height * len(begins), reached)
        if self._fields < 0:
            raise KnowledgeError(TOO_MANY)
        grid = [[empty] * len(begins) for _ in range(height)]
        for cell, row, below, left, right in reaching:
            grid[row][left] = cell
            more = (below - row) * (right - left) - 1
            repeated = size(cell) * more if more else 0
            if more and repeated <= self._repeated:
                self._repeated -= repeated
                for line in grid[row:below]:
                    line[left:right] = [cell] * (right - left)
        return grid
