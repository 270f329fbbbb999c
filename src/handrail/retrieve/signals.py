"""What tells that a section answers the question; `models/bundle/answers.json` weighs it.

Cosines differ from one knowledge base to the next, so most signals are relative: to the query's own scores over all
passages, or to the best of the other sections.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from handrail.stores.snapshot import Snapshot
from handrail.types import Hit, Section, Vectors

LEAST, MOST = -6.0, 6.0
"""Log-odds and logits beyond these say nothing more."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A section as the models saw it beside the question."""

    section: Section
    hit: Hit
    """The best passage of it that was found."""
    rerank: float
    """Logit of the cross-encoder, about -11 to 11."""
    reading: float | None
    """Log-odds that it answers, as the cross-encoder was taught to tell; None where it was not."""


def measure(
    seen: Sequence[Seen], snapshot: Snapshot, cosines: Vectors, floor: float | None = None
) -> list[dict[str, float]]:
    """Named signals of each section. `cosines` is `(passages,)`: the query against the whole index, in its order.

    `floor` is the cosine of unrelated texts, where it is not the snapshot's own.
    """
    readings = [_within(one.reading if one.reading is not None else one.rerank / 2) for one in seen]
    late = [one.hit.late or 0.0 for one in seen]
    dense = [_cosine(one.hit, snapshot, cosines) for one in seen]
    floor = snapshot.noise_floor if floor is None else floor
    return [
        {
            "reading": readings[at],
            "fused": one.hit.fused,
            "late_lead": late[at] - max(_others(late, at), default=late[at]),
            "dense_lift": (dense[at] - floor) / max(1.0 - floor, 1e-6),
            "dense_lead": dense[at] - max(_others(dense, at), default=dense[at]),
        }
        for at, one in enumerate(seen)
    ]


def _others(values: Sequence[float], at: int) -> list[float]:
    return [value for place, value in enumerate(values) if place != at]


def _within(value: float) -> float:
    return min(max(value, LEAST), MOST)


def _cosine(hit: Hit, snapshot: Snapshot, cosines: Vectors) -> float:
    row = snapshot.row.get(hit.passage.id)
    return hit.dense or (float(cosines[row]) if row is not None and len(cosines) else 0.0)
