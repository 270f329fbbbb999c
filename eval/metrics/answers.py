"""Figures of a set of answers. What was not judged is absent, and never counts as bad."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from eval.metrics import ruler
from eval.metrics.bootstrap import Interval, interval, mean_interval
from eval.metrics.ruler import Figures, Pair


@dataclass(frozen=True, slots=True)
class Scored:
    """One row; None wherever something does not apply to it."""

    answered: bool
    claims: int = 0
    cited: int = 0
    """Claims with at least one citation."""
    pairs: int = 0
    """(claim, cited passage) pairs that were checked."""
    correct: int = 0
    faithfulness: float | None = None
    """1 to 5."""
    relevancy: float | None = None
    """1 to 5."""
    factuality: float | None = None
    """Share of the reference's statements that the answer gives, in [0, 1]."""
    context_recall: float | None = None
    """Share of the reference's statements that the retrieved passages hold (Wix, WixQA, 2025), in [0, 1]."""
    token_f1: float | None = None
    rouge1: float | None = None
    bleu: float | None = None
    statements: float | None = None
    """Share of the reference's statements that the answer gives by its words, whoever judges, in [0, 1]."""
    keys: float | None = None
    """Share of the row's keys that the answer holds word for word, in [0, 1]."""
    ruler: Figures = field(default_factory=dict)
    """The same figures of the beginning of the top passage."""

    @property
    def beside_ruler(self) -> Pair:
        own = {name: getattr(self, name) for name in ruler.NAMES}
        return {name: value for name, value in own.items() if value is not None}, self.ruler


MEANS = ("faithfulness", "relevancy", "statements", "keys", "token_f1", "rouge1", "bleu")
BESIDE = ("factuality", "context_recall")


def score(rows: Sequence[Scored]) -> dict[str, Any]:
    """The documented keys; means over the answered rows to which each applies."""
    said = [row for row in rows if row.answered]
    return {
        "n": len(rows),
        "cite_coverage": _ratio(sum(row.cited for row in said), sum(row.claims for row in said)),
        "cite_correctness": _ratio(sum(row.correct for row in said), sum(row.pairs for row in said)),
        **{name: _mean(_values(said, name)) for name in MEANS},
        **ruler.score([row.beside_ruler for row in said]),
    }


def of_category(rows: Sequence[Scored]) -> dict[str, Any]:
    """The same figures of some rows; those beside a ruler take the whole file."""
    answered = sum(row.answered for row in rows)
    flat = {name: value for name, value in score(rows).items() if not isinstance(value, dict)}
    return {**flat, "answered_rate": _ratio(answered, len(rows))}


def details(rows: Sequence[Scored]) -> dict[str, Any]:
    """What stands beside them. `…_all` counts a row without an answer as 0, so that refusing cannot look good."""
    said = [row for row in rows if row.answered]
    everything = [(row.token_f1 or 0.0) if row.answered else 0.0 for row in rows if _has_reference(row)]
    return {
        "answered": len(said),
        "answered_rate": _ratio(len(said), len(rows)),
        "claims": sum(row.claims for row in said),
        "pairs": sum(row.pairs for row in said),
        "factuality": _mean(_values(said, "factuality")),
        "context_recall": _mean(_values(rows, "context_recall")),
        "token_f1_all": _mean(everything),
        "over_ruler_all": ruler.score([row.beside_ruler for row in rows])["over_ruler"],
    }


def intervals(rows: Sequence[Scored]) -> dict[str, Interval | None]:
    """Rows are drawn, not claims: those of one answer stand or fall together."""
    said = [row for row in rows if row.answered]
    found = {name: mean_interval(np.asarray(_values(said, name))) for name in (*MEANS, "factuality")}
    found["context_recall"] = mean_interval(np.asarray(_values(rows, "context_recall")))
    found["answered_rate"] = mean_interval(np.asarray([float(row.answered) for row in rows]))
    for name, part, whole in (("cite_coverage", "cited", "claims"), ("cite_correctness", "correct", "pairs")):
        found[name] = _ratio_interval([getattr(row, part) for row in said], [getattr(row, whole) for row in said])
    return {**found, **ruler.intervals([row.beside_ruler for row in said])}


def _has_reference(row: Scored) -> bool:
    return row.token_f1 is not None


def _values(rows: Sequence[Scored], name: str) -> list[float]:
    return [value for row in rows if (value := getattr(row, name)) is not None]


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if values else None


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _ratio_interval(parts: Sequence[int], wholes: Sequence[int]) -> Interval | None:
    part, whole = np.asarray(parts, dtype=float), np.asarray(wholes, dtype=float)

    def ratio(draw: np.ndarray[Any, Any]) -> float:
        return float(part[draw].sum() / whole[draw].sum()) if whole[draw].sum() else float("nan")

    return interval(len(part), ratio)
