"""Figures about conversations over a range of days; what each one means stands in `docs/reports.md`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

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
    breakdowns: Mapping[str, Sequence[Row]] = field(default_factory=dict)
    """Further tables, by what they are broken down by."""

    def as_json(self) -> dict[str, Any]:
        return {
            "report": self.name,
            "from": self.period.first.isoformat(),
            "to": self.period.last.isoformat(),
            "time_zone": self.period.zone.key,
            "empty": self.empty,
            "n": self.n,
            "figures": self.figures,
            "columns": self.columns,
            "rows": self.rows,
            "notes": self.notes,
            "breakdowns": self.breakdowns,
        }

    @property
    def empty(self) -> bool:
        return self.n == 0
