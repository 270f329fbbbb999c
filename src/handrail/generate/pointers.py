"""Rows of a table that only name the section which answers: "No times at all | Hours | No times are offered"."""

from __future__ import annotations

from collections.abc import Sequence

from handrail.generate.headings import heading_of, place_of
from handrail.generate.units import Unit

Section = tuple[str, str]
"""Article and heading."""


def followed(
    read: Sequence[Unit], fits: Sequence[float], found: Sequence[Unit]
) -> tuple[list[Unit], list[float], frozenset[int]]:
    """The units that were read and how well they fit, with what rows among them point to instead of those rows, and by
    `id` the tables of such rows.

    What a section begins with fits at least as well as a row that points there, whether it was read or not.
    """
    sections = {_section(unit) for unit in found}
    targets = {id(row): _target(row, sections, found) for row in read}
    fit_of = {id(unit): (unit, fit) for unit, fit in zip(read, fits, strict=True) if targets[id(unit)] is None}
    tables: set[int] = set()
    for row, fit in zip(read, fits, strict=True):
        target = targets[id(row)]
        if target is not None:
            known = fit_of.get(id(target), (target, fit))[1]
            fit_of[id(target)] = (target, max(known, fit))
            tables |= {id(unit) for unit in read if _holds(unit, row)}
    return [unit for unit, _ in fit_of.values()], [fit for _, fit in fit_of.values()], frozenset(tables)


def _target(row: Unit, sections: set[Section], found: Sequence[Unit]) -> Unit | None:
    """The steps, else the first words, of the section whose heading a cell behind the first one is."""
    if row.kind != "row":
        return None
    article = row.hit.passage.article_id
    # An empty cell is no heading, though what stands above the first one has an empty one.
    named = {(article, cell.casefold()) for cell in row.cells[1:] if cell} & sections - {_section(row)}
    there = [unit for unit in found if _section(unit) in named and unit.kind not in ("code", "row")]
    return min(there, key=lambda unit: (unit.kind != "steps", place_of(unit)), default=None)


def _holds(table: Unit, row: Unit) -> bool:
    return table.kind == "table" and table.hit.passage.id == row.hit.passage.id and table.header == row.header


def _section(unit: Unit) -> Section:
    return unit.hit.passage.article_id, heading_of(unit).casefold()
