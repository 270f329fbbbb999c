"""What tells that a section answers the question; `models/bundle/answers.json` weighs it.

Cosines and logits differ from one knowledge base to the next, so most signals are relative: to the query's own scores
over all passages, to the words of the index, or to the best of the other sections.
"""

from __future__ import annotations

import re
from calendar import day_name, month_name
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from handrail.stores.snapshot import Snapshot
from handrail.stores.tokens import tokenize
from handrail.types import Hit, Section, Vectors

NAME = re.compile(r"(?<![.!?]\s)(?<!^)\b(?:[A-Z][\w.-]*[\w]|[a-z]+[A-Z]\w*)|\b[A-Za-z]+-?\d[\w.]*\b")
"""What looks like a name inside a sentence: a capital that starts no sentence, inner capitals, letters with digits."""
CALENDAR = frozenset((*day_name, *month_name))
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
    query: str, seen: Sequence[Seen], snapshot: Snapshot, cosines: Vectors, floor: float | None = None
) -> list[dict[str, float]]:
    """Named signals of each section. `cosines` is `(passages,)`: the query against the whole index, in its order.

    `floor` is the cosine of unrelated texts, where it is not the snapshot's own.
    """
    lang = snapshot.stemming
    names = [set(tokenize(name, lang)) for name in _names(query, lang)]
    readings = [_within(one.reading if one.reading is not None else one.rerank / 2) for one in seen]
    late = [one.hit.late or 0.0 for one in seen]
    dense = [_cosine(one.hit, snapshot, cosines) for one in seen]
    floor = snapshot.noise_floor if floor is None else floor
    spread = max(float(np.std(cosines)), 1e-6) if len(cosines) else 1.0
    mean = float(np.mean(cosines)) if len(cosines) else 0.0
    found = []
    for at, one in enumerate(seen):
        present = set(tokenize(f"{one.section.path}\n{one.section.text}", lang))
        found.append(
            {
                "reading": readings[at],
                "lead": _within(readings[at] - max(_others(readings, at), default=LEAST)),
                "fused": one.hit.fused,
                "late_lead": late[at] - max(_others(late, at), default=late[at]),
                "dense_lift": (dense[at] - floor) / max(1.0 - floor, 1e-6),
                "dense_z": (dense[at] - mean) / spread,
                "dense_lead": dense[at] - max(_others(dense, at), default=dense[at]),
                "names_missing": float(any(name and not name & present for name in names)),
            }
        )
    return found


def _others(values: Sequence[float], at: int) -> list[float]:
    return [value for place, value in enumerate(values) if place != at]


def _within(value: float) -> float:
    return min(max(value, LEAST), MOST)


def _cosine(hit: Hit, snapshot: Snapshot, cosines: Vectors) -> float:
    row = snapshot.row.get(hit.passage.id)
    return hit.dense or (float(cosines[row]) if row is not None and len(cosines) else 0.0)


def _names(query: str, lang: str) -> list[str]:
    """Without days and months; none where capitals say nothing: among German nouns, and in a message that shouts."""
    shouted = sum(map(str.isupper, query)) > sum(map(str.islower, query))
    names = NAME.findall(query) if not shouted and lang != "german" else []
    return [name for name in names if name not in CALENDAR]
