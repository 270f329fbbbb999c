"""The table of `handrail eval llm`, for people and for programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from eval.metrics.bootstrap import Interval
from eval.spending import Spent
from eval.suites import Found, Line, Measured, Side

HEAD = (
    "| part | figure | n | with the model | 95 % interval | quotations alone | 95 % interval | difference "
    "| 95 % interval | rows compared | cost | tokens | time |"
)
SHOWN = 3
ALIGNED = "|---|---|---:|---:|---|---:|---|---:|---|---:|---:|---:|---:|"


def as_json(found: Found, *, priced: bool) -> dict[str, Any]:
    return {
        "suite": found.suite,
        "model": found.model,
        "judge": found.judge,
        "priced": priced,
        "interrupted": found.interrupted,
        "stopped": found.stopped,
        "left_out": found.left_out,
        "cut": found.cut,
        "spent": asdict(found.spent),
        "parts": [asdict(part) for part in found.parts],
    }


def as_markdown(found: Found, *, priced: bool) -> str:
    judge = f"judged by {found.judge}" if found.judge else "without a judge"
    said = [f"Suite {found.suite}: {found.model}, {judge}.", "", HEAD, ALIGNED]
    for part in found.parts:
        costs = (cost(part.spent, priced=priced), f"{part.spent.tokens:,}", duration(part.seconds))
        for number, line in enumerate(part.lines):
            said.append(_row(part.name, line, costs if number == 0 else ("", "", "")))
    said += ["", "Differences are with the model minus quotations alone, over the rows that both have."]
    said += [text for part in found.parts for text in _beside(part)]
    said += [f"cut: {name}: {why}" for name, why in found.cut.items()]
    said += [f"left out: {name}: {why}" for name, why in found.left_out.items()]
    spent = found.spent
    said.append(
        f"spent by this call: {cost(spent, priced=priced)}, {spent.tokens:,} tokens in {spent.requests:,} requests"
    )
    if found.cut:
        said.append("run the same command again to go on: what is done isn't paid for twice")
    return "\n".join(said)


def _row(part: str, line: Line, costs: tuple[str, str, str]) -> str:
    apart = line.difference
    cells = [
        part,
        line.figure,
        str(line.model.n or line.quotations.n or ""),
        _value(line.model),
        bounds(line.model.interval),
        _value(line.quotations),
        bounds(line.quotations.interval),
        f"{apart.value:+.3f}" if apart else "",
        bounds(apart.interval, "+") if apart else "",
        str(apart.n) if apart else "",
        *costs,
    ]
    return f"| {' | '.join(cells)} |"


def _beside(part: Measured) -> list[str]:
    said = []
    if part.spent.without:
        reasons = ", ".join(f"{reason} {count}" for reason, count in sorted(part.spent.without.items()))
        said.append(f"{part.name}: in some rows the model failed at a task ({reasons})")
    if part.failed:
        said.append(f"{part.name}: {part.failed} rows failed and are left out; the next call repeats them")
        said += [f"{part.name}: failed: {error}" for error in part.errors[:SHOWN]]
    return [*said, *(f"{part.name}: {note}" for note in part.notes)]


def _value(side: Side) -> str:
    return "not measured" if side.value is None else f"{side.value:.3f}"


def bounds(found: Interval | None, sign: str = "") -> str:
    return f"{found[0]:{sign}.3f} to {found[1]:{sign}.3f}" if found else ""


def cost(spent: Spent, *, priced: bool) -> str:
    return f"{spent.cost_usd:.4f} USD" if priced else "cost unknown"


def duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
