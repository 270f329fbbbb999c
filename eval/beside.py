"""One figure of two runs over the same rows: what the second has more."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eval.compare import whole
from eval.evaluators.talks import TURNS_PER_LINE
from eval.measures import WHOLE, measures
from eval.metrics.bootstrap import Interval, interval

Row = Mapping[str, Any]
Rows = Sequence[Row]


@dataclass(frozen=True, slots=True)
class Difference:
    """Second minus first."""

    n: int
    """Rows that both have."""
    value: float
    interval: Interval | None
    """95 %, paired bootstrap; whole talks are drawn, since their turns belong together."""


def difference(
    command: str, measure: str, where: Mapping[str, str | bool], first: Rows, second: Rows
) -> Difference | None:
    """None where no row has both, or the figure is not defined."""
    one, other = (
        {row["line"]: row for row in rows if measures(command, row) and _fits(row, where)} for rows in (first, second)
    )
    both = [line for line in one if line in other]
    statistic = WHOLE.get(command, {}).get(measure)
    if statistic is not None:
        found = whole(statistic, [(one[line], other[line]) for line in both]) if both else None
        if found is None or found.difference != found.difference:
            return None
        return Difference(found.n, found.difference, found.interval)
    groups: dict[int, list[float]] = defaultdict(list)
    for line in both:
        before, after = (measures(command, row[line]) for row in (one, other))
        if measure in before and measure in after:
            groups[line // TURNS_PER_LINE if command == "talks" else line].append(after[measure] - before[measure])
    if not groups:
        return None
    sums, sizes = (np.asarray([of(group) for group in groups.values()], dtype=float) for of in (sum, len))
    return Difference(
        int(sizes.sum()),
        float(sums.sum() / sizes.sum()),
        interval(len(groups), lambda draw: float(sums[draw].sum() / sizes[draw].sum())),
    )


def _fits(row: Row, where: Mapping[str, str | bool]) -> bool:
    return all(row.get(name) == value for name, value in where.items())
