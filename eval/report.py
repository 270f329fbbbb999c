"""What a run prints: JSON for programs, a Markdown table for people."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from eval.record import Run


def as_json(run: Run) -> str:
    """`run_id`, `metrics` and `rows` are the contract; the rest may grow."""
    found = run.evaluation
    return json.dumps(
        {
            "run_id": run.id,
            "metrics": rounded(found.metrics),
            "details": rounded(found.details),
            "intervals": rounded(found.intervals),
            "interrupted": found.interrupted,
            "conditions": found.conditions,
            "bad_rows": [asdict(row) for row in run.bad],
            "notes": found.notes,
            "rows": rounded(found.rows),
        },
        indent=2,
    )


def as_markdown(run: Run) -> str:
    """One line per metric, nested ones with dots, and the 95 % interval where there is one; lists are left out."""
    found = run.evaluation
    lines = [f"| {run.command} | value | 95 % interval |", "|---|---:|---|"]
    for name, value in (*flat(found.metrics), *flat(found.details)):
        if isinstance(value, list) or name.startswith("confusion."):
            continue
        bounds = found.intervals.get(name)
        lines.append(f"| {name} | {_cell(value)} | {f'{bounds[0]:.3f} to {bounds[1]:.3f}' if bounds else ''} |")
    return "\n".join(lines)


def summary(held: Mapping[str, Any]) -> str:
    """A stored run in Markdown: what was measured, on what, and the figures."""
    file, git, kb = held["file"], held.get("git") or {}, held.get("kb") or {}
    few = f", the first {file['limit']} rows" if file["limit"] else ""
    changed = " with uncommitted changes" if git.get("dirty") else ""
    lines = [
        f"## {held['command']}: {held['run_id']}",
        "",
        f"{held['started']}, {held['status']}. File {file['name']} (sha256 {file['sha256'][:12]}){few}; knowledge base "
        f"{kb.get('name')} with {kb.get('articles')} articles (corpus {str(kb.get('corpus'))[:12]}); revision "
        f"{(git.get('revision') or 'unknown')[:10]}{changed}; models "
        + ", ".join(f"{name} {value}" for name, value in (held.get("models") or {}).items() if value)
        + ".",
        "",
        "| figure | value | 95 % interval |",
        "|---|---:|---|",
    ]
    for name, value in single(held):
        bounds = held["intervals"].get(name)
        lines.append(f"| {name} | {_cell(value)} | {f'{bounds[0]:.3f} to {bounds[1]:.3f}' if bounds else ''} |")
    for group in groups(held):
        lines += ["", f"| {group.name} | {' | '.join(group.columns)} |", f"|---|{'---:|' * len(group.columns)}"]
        lines += [f"| {name} | {' | '.join(map(_cell, values))} |" for name, values in group.rows]
    return "\n".join([*lines, *(["", *(f"- {note}" for note in held["notes"])] if held["notes"] else [])])


@dataclass(frozen=True, slots=True)
class Group:
    """The same figures of several parts, such as those of every label."""

    name: str
    columns: list[str]
    rows: list[tuple[str, list[Any]]]
    """By part, in the order of `columns`; None where a part has no such figure."""


def groups(held: Mapping[str, Any]) -> list[Group]:
    """Of a stored run, what is better read as a table than line by line."""
    return [_group(name, value) for name, value in _figures(held).items() if _several(value)]


def single(held: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The other figures of a stored run, with dots between the parts of their names; lists are left out."""
    rest = {name: value for name, value in _figures(held).items() if not _several(value)}
    return [(name, value) for name, value in flat(rest) if not isinstance(value, list)]


def _figures(held: Mapping[str, Any]) -> dict[str, Any]:
    return {**held["metrics"], **(held.get("details") or {})}


def _several(value: Any) -> bool:
    """A mapping of parts to their figures."""
    return (
        isinstance(value, Mapping)
        and bool(value)
        and all(isinstance(part, Mapping) and len(dict(flat(part))) == len(part) for part in value.values())
    )


def _group(name: str, parts: Mapping[str, Mapping[str, Any]]) -> Group:
    columns = list(dict.fromkeys(column for part in parts.values() for column in part))
    return Group(name, columns, [(key, [part.get(column) for column in columns]) for key, part in parts.items()])


def flat(metrics: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in metrics.items():
        if isinstance(value, Mapping):
            yield from flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def rounded(value: Any) -> Any:
    """Numbers to four places: more would only be noise."""
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, Mapping):
        return {key: rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(item) for item in value]
    return value


def _cell(value: Any) -> str:
    if value is None:
        return "n/a"
    return f"{value:.3f}" if isinstance(value, float) else str(value)
