"""Claims that a table settles: the cell in the row and column that a claim names, against what the claim says of it.

Similarity cannot tell one row from the next; their words are the same but for the label.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from handrail.text.words import Token, tokens
from handrail.verify import negation
from handrail.verify.features import content
from handrail.verify.numbers import Quantity, quantities

ROW = re.compile(r"^\s*\|.*\|\s*$")
RULE = re.compile(r"^\s*\|?[\s:|-]*-{3,}[\s:|-]*$")
DENIED = frozenset({"no", "none", "never", "–", "-", "—", "✗"})
GRANTED = frozenset({"yes", "always", "✓"})


@dataclass(frozen=True, slots=True)
class Table:
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def settles(claim: str, passage: str) -> bool | None:
    """Whether the cells that the claim names hold its numbers, or its yes; None where no table has a say.

    Only a row that is named counts, and only numbers that stand nowhere but in the table can be in the wrong cell.
    """
    found, prose = _read(passage)
    words = tokens(claim)
    verdicts = [said for table in found if (said := _says(table, words, claim, prose)) is not None]
    return None if not verdicts else all(verdicts)


def _says(table: Table, words: tuple[Token, ...], claim: str, prose: str) -> bool | None:
    stems = {word.stem for word in words}
    rows = [row for row in table.rows if _named(row[0], stems)]
    columns = [at for at, name in enumerate(table.header) if at and _named(name, stems)]
    if not rows:
        return None
    cells = [row[at] for row in rows for at in (columns or range(1, len(row))) if at < len(row)]
    claimed = _beside(quantities(words), [*(row[0] for row in rows), *(table.header[at] for at in columns)])
    if claimed:
        return _holds(claimed, cells, table, prose, sure=bool(columns))
    if not columns:
        return None
    denied = bool(negation.count(words) % 2)
    values = {cell.strip(" *.").casefold() for cell in cells}
    if values <= DENIED:
        return denied
    return not denied if values <= GRANTED else None


def _holds(claimed: Sequence[Quantity], cells: Sequence[str], table: Table, prose: str, *, sure: bool) -> bool | None:
    here = _quantities(" ; ".join(cells))
    right = [any(number.equals(other) for other in here) for number in claimed]
    if any(right):
        return True if sure and all(right) else None
    everywhere = _quantities(" ; ".join(cell for row in table.rows for cell in row[1:]))
    elsewhere = [any(number.equals(other) for other in everywhere) for number in claimed]
    beside = [any(number.equals(other) for other in _quantities(prose)) for number in claimed]
    return False if any(elsewhere) and not any(beside) else None


def _named(label: str, stems: set[str]) -> bool:
    words = tokens(label)
    wanted = {words[at].stem for at in content(words)}
    return bool(wanted) and wanted <= stems


def _beside(claimed: Sequence[Quantity], labels: Sequence[str]) -> list[Quantity]:
    """Numbers of a claim that do not merely repeat a label's ("more than 24 hours")."""
    named = [number for label in labels for number in _quantities(label)]
    return [number for number in claimed if not any(number.equals(other) for other in named)]


def _quantities(text: str) -> Sequence[Quantity]:
    return quantities(tokens(text))


@lru_cache(maxsize=256)
def _read(passage: str) -> tuple[tuple[Table, ...], str]:
    """The tables of a passage, and its text without them."""
    blocks: list[list[str]] = [[]]
    prose: list[str] = []
    for line in passage.splitlines():
        if ROW.match(line):
            blocks[-1].append(line)
        else:
            prose.append(line)
            blocks.append([])
    made = [_table(lines) for lines in blocks if len(lines) > 2 and RULE.match(lines[1])]
    return tuple(made), "\n".join(prose)


def _table(lines: Sequence[str]) -> Table:
    rows = [tuple(cell.strip() for cell in line.strip().strip("|").split("|")) for line in lines]
    return Table(rows[0], tuple(rows[2:]))
