"""Figures about conversations over a range of days; what each one means stands in `docs/reports.md`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from handrail.desk.reports.period import Period

Cell = str | int | float | bool | None
Row = Mapping[str, Cell]


@dataclass(frozen=True, slots=True)
class Report:
    """One report as the desk draws it and as it is exported."""

    name: str
    period: Period
    figures: Mapping[str, Cell | Mapping[str, Cell]]
    """The headline numbers; None where there is nothing to count."""
    columns: Sequence[str]
    rows: Sequence[Row]
    n: int
    """What the report counted; 0 means that there is nothing to draw."""
    notes: Sequence[str] = field(default=())
    """What a reader must know before comparing the numbers."""

    @property
    def empty(self) -> bool:
        return self.n == 0
