"""What is read off a row when runs are compared: which figures there are, and which way is better."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from eval.report import flat

Row = Mapping[str, Any]

HEADLINES: dict[str, tuple[str, ...]] = {
    "routing": ("accuracy", "macro_f1", "ece"),
    "retrieval": ("hit@1", "hit@5", "mrr"),
    "refusal": ("precision", "recall", "false_answer_rate", "false_refusal_rate"),
    "answers": ("cite_coverage", "cite_correctness", "faithfulness", "token_f1"),
    "injection": ("attack_success_rate", "benign_harm_rate"),
    "conversation": ("overlap@5", "hit@5_last", "hit@5_standalone"),
    "answerable": ("auc", "false_refusal_at_recall_0.9"),
    "talks": ("right_or_refused", "confident_wrong", "served"),
    "latency": ("static.p50_ms", "turn.p50_ms", "concurrent20.p95_ms"),
}
"""What a list of runs shows of each."""

DECIDES = {"routing": "correct", "retrieval": "hit@5", "refusal": "correct", "talks": "right_or_refused"}
"""The yes or no by which rows count as gained or lost, unless another is asked for."""

LOWER_IS_BETTER = {
    "ms", "false_answer", "false_refusal", "attack_success", "attack_succeeded", "succeeded", "harmed", "benign_harm",
    "confident_wrong", "missed_serious",
}  # fmt: skip
NO_MEASURE = {"line", "probability", "confidence", "attack", "should_refuse", "refused", "score", "depends",
              "follow_up"}  # fmt: skip
"""Numbers of a row that are neither good nor bad by themselves."""

Derived = Callable[[Row], bool | None]


def _false_answer(row: Row) -> bool | None:
    return not row["refused"] if row.get("should_refuse") else None


def _false_refusal(row: Row) -> bool | None:
    return bool(row["refused"]) if row.get("should_refuse") is False else None


def _confident_wrong(row: Row) -> bool | None:
    return row["verdict"] == "confident_wrong" if "verdict" in row else None


def _right_refusal(row: Row) -> bool | None:
    """Of what was refused; the mean is the precision of refusals."""
    return row.get("should_refuse") if row["refused"] else None


DERIVED: dict[str, dict[str, Derived]] = {
    "talks": {"confident_wrong": _confident_wrong},
    "refusal": {"false_answer": _false_answer, "false_refusal": _false_refusal, "right_refusal": _right_refusal},
}


Statistic = Callable[[Sequence[Row]], float]
"""Of rows, some of them perhaps several times; NaN where it is not defined."""


def _macro_f1(rows: Sequence[Row]) -> float:
    truth, predicted = ([row[name] for row in rows] for name in ("label", "predicted"))
    hits = Counter(one for one, other in zip(truth, predicted, strict=True) if one == other)
    seen = Counter(truth) + Counter(predicted)
    return sum(2 * hits[label] / seen[label] for label in seen) / len(seen)


def _precision(rows: Sequence[Row]) -> float:
    refused = [row["should_refuse"] for row in rows if row["refused"]]
    return sum(refused) / len(refused) if refused else float("nan")


def _recall(rows: Sequence[Row]) -> float:
    must = [row["refused"] for row in rows if row["should_refuse"]]
    return sum(must) / len(must) if must else float("nan")


WHOLE: dict[str, dict[str, Statistic]] = {
    "routing": {"macro_f1": _macro_f1},
    "refusal": {"precision": _precision, "recall": _recall},
}
"""Figures that are no means over rows."""


def measures(command: str, row: Row) -> dict[str, float]:
    """Every figure of one scored row; empty for one that was not scored or failed."""
    if "error" in row or "not_applicable" in row:
        return {}
    found = {name: derived(row) for name, derived in DERIVED.get(command, {}).items()}
    plain = {name: value for name, value in row.items() if name not in NO_MEASURE}
    return {
        name: float(value)
        for name, value in {**plain, **found}.items()
        if isinstance(value, bool | int | float) and value == value
    }


def headline(command: str, metrics: Mapping[str, Any]) -> dict[str, float]:
    known = {name: value for name, value in flat(metrics) if isinstance(value, int | float)}
    names: Sequence[str] = HEADLINES.get(command) or [name for name in known if name != "n"][:3]
    return {name: known[name] for name in names if name in known}


def sign(name: str) -> int:
    """1 where more is better, -1 where less is."""
    return -1 if name in LOWER_IS_BETTER else 1
