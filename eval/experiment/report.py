"""What an experiment prints: JSON for programs, Markdown for people."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from eval.experiment.running import Found, about_side, told
from eval.experiment.sides import differing
from eval.experiment.verdict import RULE
from eval.report import rounded
from eval.resume import shown
from eval.suite_report import bounds, cost, duration


def as_json(found: Found, *, priced: bool) -> dict[str, Any]:
    held: dict[str, Any] = rounded(
        {
            "run_id": found.id,
            "kind": found.kind,
            "verdict": found.verdict.value,
            "rule": RULE,
            "status": found.status.value,
            "stopped": found.stopped,
            "failed": found.failed,
            "priced": priced,
            "spent": asdict(found.spent),
            "metrics": told(found),
            "a": about_side(found, 0),
            "b": about_side(found, 1),
            "differs": {name: list(values) for name, values in differing(*found.sides).items()},
            "changed_prompts": changed_prompts(found),
            "notes": found.notes,
        }
    )
    return held


def as_markdown(found: Found, *, priced: bool) -> str:
    lines = [
        f"Experiment {found.id or ''}: {found.kind}, {found.runs[0].file.name}. Verdict: **{found.verdict}**.",
        "",
        "| figure | n | A | B | B - A | 95 % interval | higher in B | lower in B | |",
        "|---|---:|---:|---:|---:|---|---:|---:|---|",
    ]
    for name, value in told(found).items():
        says = value["verdict"] if value["decides"] else ""
        lines.append(
            f"| {name} | {value['n']} | {value['a']:.3f} | {value['b']:.3f} | {value['difference']:+.3f} "
            f"| {bounds(value['interval'], '+')} | {value['gained']} | {value['lost']} | {says} |"
        )
    lines += ["", "| | rows | cost | tokens | requests | time of its rows |", "|---|---:|---:|---:|---:|---:|"]
    failures = []
    for letter, run in zip("AB", found.runs, strict=True):
        spent = run.spent + run.judging
        lines.append(
            f"| {letter} | {len(run.evaluation.rows)} | {cost(spent, priced=priced)} | {spent.tokens:,} "
            f"| {spent.requests:,} | {duration(run.seconds)} |"
        )
        if spent.without:
            reasons = ", ".join(f"{reason} {count}" for reason, count in sorted(spent.without.items()))
            failures.append(f"{letter}: in some rows the model failed at a task ({reasons})")
    lines += ["", *failures, "What differs:"]
    lines += [f"- {name}: {shown(a)} in A, {shown(b)} in B" for name, (a, b) in differing(*found.sides).items()]
    lines += [f"- prompt {name}" for name in changed_prompts(found)]
    lines += ["", RULE, *found.notes]
    if found.failed:
        lines.append(f"{found.failed} rows failed and are left out: the same command again repeats them")
    lines.append(f"spent by this call: {cost(found.spent, priced=priced)}, {found.spent.tokens:,} tokens")
    if found.stopped:
        lines.append(f"stopped: {found.stopped}")
    if found.status.value != "finished":
        lines.append("not finished: the same command again goes on, and what is done isn't paid for twice")
    lines.append(f"both sides, row by row: handrail eval report {found.runs[0].id} {found.runs[1].id}")
    return "\n".join(lines)


def changed_prompts(found: Found) -> list[str]:
    a, b = (side.prompts for side in found.sides)
    return [name for name in a if a[name] != b.get(name)]
