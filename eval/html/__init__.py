"""One run, or two side by side, as a page that needs no network, no script and no other file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from eval.compare import Comparison, method
from eval.html.plots import Plot, gains, plots
from eval.measures import DECIDES, headline, measures, sign
from eval.report import flat, groups, single
from eval.resume import shown
from eval.texts import harmless

TEMPLATE = Path(__file__).with_name("report.html.j2")
MOST_ROWS = 2000
MEASURED_WITH = (
    "git", "code", "scored_from", "scored_by", "seed", "kb", "models", "weights", "fitted", "prompts", "libraries",
    "machine",
)  # fmt: skip


def page(
    run: Mapping[str, Any],
    asked: Mapping[int, str],
    other: Mapping[str, Any] | None = None,
    comparison: Comparison | None = None,
) -> str:
    """`run` alone, or `other` against it: then `comparison` is of the two, and the rows shown are of `other`."""
    subject = run if other is None else other
    command = subject["command"]
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"plain": lambda value: harmless(str(value), 400), "number": number, "short": shown}
    rows = sorted(subject["rows"], key=lambda row: _rightness(command, row))
    return environment.from_string(TEMPLATE.read_text(encoding="utf-8")).render(
        run=subject,
        before=run if other is not None else None,
        headline=headline(command, subject["metrics"]),
        metrics=[(name, value, subject["intervals"].get(name)) for name, value in single(subject)],
        groups=groups(subject),
        plots=[_safe(plot) for plot in _plots(command, run, other)],
        comparison=comparison,
        method=method(comparison) if comparison is not None else "",
        asked=asked,
        columns=_columns(rows),
        rows=rows[:MOST_ROWS],
        left_out=max(0, len(rows) - MOST_ROWS),
        wrong=[_rightness(command, row) < 1 for row in rows],
        earlier=headline(command, run["metrics"]) if other is not None else {},
        conditions=list(flat(subject.get("conditions") or {})),
        provenance=[
            ("Versions, models and hashes", list(flat({n: subject[n] for n in MEASURED_WITH if n in subject}))),
            ("Settings", list(flat(subject.get("settings") or {}))),
        ],
        cell=cell,
    )


def _plots(command: str, run: Mapping[str, Any], other: Mapping[str, Any] | None) -> list[Plot]:
    if other is None:
        return plots(command, run["rows"])
    first = {row["line"]: row for row in run["rows"] if "line" in row}
    pairs = [(first[row["line"]], row) for row in other["rows"] if row.get("line") in first]
    change = gains(command, pairs)
    return [*([change] if change else []), *plots(command, other["rows"])]


def _safe(plot: Plot) -> dict[str, Any]:
    # The drawing library escapes what it writes, and no text of a row is drawn.
    return {"title": plot.title, "says": plot.says, "svg": Markup(plot.svg)}  # noqa: S704


def _columns(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    names = dict.fromkeys(name for row in rows for name in row)
    return [name for name in names if name not in ("id", "line", "stages", "claims", "passages")]


def _rightness(command: str, row: Mapping[str, Any]) -> float:
    """Failed rows first, then wrong ones, then right ones."""
    if "error" in row:
        return -1.0
    found = measures(command, row)
    by = DECIDES.get(command) or next((name for name in found if name != "ms"), "")
    return found.get(by, 1.0) * sign(by) + (sign(by) < 0)


def number(value: Any) -> str:
    if value is None:
        return "n/a"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def cell(value: Any) -> str:
    """One value of a row, in a few words."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3f}".rstrip("0").rstrip(".")
    if isinstance(value, Mapping):
        return harmless(", ".join(f"{name} {cell(item)}" for name, item in value.items()))
    if isinstance(value, list):
        return harmless(", ".join(cell(item) for item in value[:5]) + (" …" if len(value) > 5 else ""))
    return harmless(str(value))
