"""Plots of a run as SVG that stands inside a page: text stays text, and colours follow the page's theme."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from eval.measures import DECIDES, measures, sign
from handrail.types import Label

Row = Mapping[str, Any]

INK, MUTED, GRID, FIRST, SECOND, GOOD, BAD = (f"#0{n}0{n}0{n}" for n in range(1, 8))
THEME = {
    "#000000": "ink",
    INK: "ink", MUTED: "muted", GRID: "grid", FIRST: "first", SECOND: "second", GOOD: "good", BAD: "bad",
}  # fmt: skip
"""Stand-ins, replaced by the variables of the style sheet: matplotlib knows only fixed colours."""
STYLE: Any = {
    "svg.fonttype": "none",
    "text.parse_math": False,
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
}
SIZE = (4.6, 3.2)
"""Inches; at the width of a phone its letters are still read."""
BINS = 10


@dataclass(frozen=True, slots=True)
class Plot:
    title: str
    says: str
    """In words, for those who do not see it."""
    svg: str


def plots(command: str, rows: Sequence[Row]) -> list[Plot]:
    """Whatever the rows of one run can show."""
    scored = [row for row in rows if "error" not in row and "not_applicable" not in row]
    made = {
        "routing": (confusion, reliability),
        "retrieval": (ranks,),
        "refusal": (refusal_curve, reliability),
    }.get(command, (reliability,))
    found = [plot(scored) for plot in (*made, durations)]
    return [plot for plot in found if plot is not None]


def reliability(rows: Sequence[Row]) -> Plot | None:
    """How often a row was right against how sure the system was (DeGroot and Fienberg, 1983)."""
    pairs = [pair for row in rows if (pair := _belief(row)) is not None]
    if len(pairs) < BINS:
        return None
    belief, right = np.asarray(pairs, dtype=float).T
    bins = np.minimum((belief * BINS).astype(int), BINS - 1)
    inside = [bins == b for b in range(BINS) if (bins == b).any()]
    x = [float(belief[b].mean()) for b in inside]
    y = [float(right[b].mean()) for b in inside]
    sizes = [int(b.sum()) for b in inside]
    error = sum(abs(a - c) * n for a, c, n in zip(x, y, sizes, strict=True)) / len(pairs)

    def draw(axes: Axes) -> None:
        axes.plot([0, 1], [0, 1], color=MUTED, linestyle="--", linewidth=1)
        axes.plot(x, y, color=FIRST, linewidth=1.6)
        axes.scatter(x, y, s=[20 + 160 * n / len(pairs) for n in sizes], color=FIRST, zorder=3, clip_on=False)
        axes.set(xlim=(0, 1.02), ylim=(0, 1.05), xlabel="probability it stated", ylabel="share that was right")

    what = "confidence against what is answerable" if "should_refuse" in rows[0] else "probability of the label"
    says = f"Reliability over {len(pairs)} rows ({what}): calibration error {error:.3f}. Larger dots hold more rows."
    return Plot("Reliability", says, _svg("reliability", draw))


def _belief(row: Row) -> tuple[float, bool] | None:
    if "should_refuse" in row:
        return (row["confidence"], not row["should_refuse"]) if row.get("confidence") is not None else None
    if isinstance(row.get("probability"), float) and isinstance(row.get("correct"), bool):
        return row["probability"], row["correct"]
    return None


def refusal_curve(rows: Sequence[Row]) -> Plot | None:
    """What refusing below another confidence would have cost and saved."""
    must = np.asarray([bool(row["should_refuse"]) for row in rows])
    if must.all() or not must.any():
        return None
    confidence = np.asarray([float(row["confidence"]) for row in rows])
    refused = np.asarray([bool(row["refused"]) for row in rows])
    levels = np.concatenate([[0.0], np.unique(confidence), [1.01]])
    recall = [float((confidence[must] < level).mean()) for level in levels]
    price = [float((confidence[~must] < level).mean()) for level in levels]
    here = float(refused[~must].mean()), float(refused[must].mean())

    def draw(axes: Axes) -> None:
        axes.plot([0, 1], [0, 1], color=MUTED, linestyle="--", linewidth=1)
        axes.step(price, recall, where="post", color=FIRST, linewidth=1.6, label="by confidence alone")
        axes.scatter(*here, s=60, color=SECOND, zorder=3, clip_on=False, label="this run")
        axes.set(xlim=(0, 1.02), ylim=(0, 1.05), xlabel="false refusals", ylabel="rightly refused")
        axes.legend(loc="lower right")

    says = (
        f"Refusal trade-off over {len(rows)} rows: this run refuses {here[1]:.0%} of what the articles do not answer, "
        f"at the price of {here[0]:.0%} of what they do."
    )
    return Plot("Refusal trade-off", says, _svg("refusal", draw))


def confusion(rows: Sequence[Row]) -> Plot | None:
    seen = {str(row[name]) for row in rows for name in ("label", "predicted")}
    labels = [label.value for label in Label if label in seen]
    if not rows:
        return None
    counts = np.zeros((len(labels), len(labels)), dtype=int)
    for row in rows:
        counts[labels.index(str(row["label"])), labels.index(str(row["predicted"]))] += 1
    names = [label.replace("_", " ") for label in labels]

    def draw(axes: Axes) -> None:
        axes.grid(False)
        for i, line in enumerate(counts):
            for j, count in enumerate(line):
                share = count / max(line.sum(), 1)
                cell = Rectangle((j - 0.5, i - 0.5), 1, 1, facecolor=GOOD if i == j else BAD, alpha=0.5 * share)
                axes.add_patch(cell)
                axes.text(j, i, str(count), ha="center", va="center", color=INK if count else MUTED)
        last = len(labels) - 0.5
        axes.set(xlim=(-0.5, last), ylim=(last, -0.5), xlabel="it said", ylabel="it is")
        axes.set_xticks(range(len(names)), names, rotation=30, ha="right")
        axes.set_yticks(range(len(names)), names)

    wrong = [(counts[i, j], names[i], names[j]) for i in range(len(names)) for j in range(len(names)) if i != j]
    worst = max(wrong, default=(0, "", ""))
    says = f"Confusion matrix over {len(rows)} rows." + (
        f" Most often wrong: {worst[0]} times {worst[2]} where it is {worst[1]}." if worst[0] else ""
    )
    return Plot("Confusion matrix", says, _svg("confusion", draw))


def ranks(rows: Sequence[Row]) -> Plot | None:
    """Where the first right article stood."""
    if not rows or not all("mrr" in row for row in rows):
        return None
    places = [round(1 / row["mrr"]) if row["mrr"] else 11 for row in rows]
    counts = [places.count(place) for place in range(1, 12)]

    def draw(axes: Axes) -> None:
        axes.grid(False, axis="x")
        axes.bar(range(1, 12), counts, color=[FIRST] * 10 + [BAD])
        axes.set_xticks(range(1, 12), [*map(str, range(1, 11)), "none"])
        axes.set(xlabel="rank of the first right article", ylabel="questions")

    says = f"Of {len(rows)} questions {counts[0]} have a right article first, and {counts[-1]} have none among ten."
    return Plot("Ranks", says, _svg("ranks", draw))


def durations(rows: Sequence[Row]) -> Plot | None:
    times = np.asarray([float(row["ms"]) for row in rows if isinstance(row.get("ms"), int | float)])
    if len(times) < BINS:
        return None
    p50, p95 = (float(value) for value in np.percentile(times, (50, 95)))
    shown = np.minimum(times, 1.5 * p95)

    def draw(axes: Axes) -> None:
        axes.hist(shown, bins=30, color=FIRST)
        for value, name in ((p50, "p50"), (p95, "p95")):
            axes.axvline(value, color=SECOND, linewidth=1.2)
            axes.annotate(
                name,
                (value, 1),
                xycoords=("data", "axes fraction"),
                xytext=(3, -9),
                textcoords="offset points",
                color=SECOND,
            )
        axes.set(xlabel="milliseconds a row", ylabel="rows")

    says = f"{len(times)} rows: half within {p50:.1f} ms, 95 % within {p95:.1f} ms; the last bar holds the rest."
    return Plot("Durations", says, _svg("durations", draw))


def gains(command: str, pairs: Sequence[tuple[Row, Row]]) -> Plot | None:
    """Every row's difference between two runs, from the largest gain to the largest loss."""
    name = "mrr" if command == "retrieval" else DECIDES.get(command)
    both = [(measures(command, a), measures(command, b)) for a, b in pairs]
    if name is None:
        common = [key for key in (both[0][0] if both else {}) if key != "ms"]
        name = common[0] if common else ""
    change = np.asarray([(b[name] - a[name]) * sign(name) for a, b in both if name in a and name in b])
    if not len(change):
        return None
    change = np.sort(change)[::-1]
    up, down = int((change > 0).sum()), int((change < 0).sum())

    def draw(axes: Axes) -> None:
        colours = [GOOD if value > 0 else BAD if value < 0 else MUTED for value in change]
        axes.bar(range(1, len(change) + 1), change, color=colours, width=1.0)
        axes.axhline(0, color=MUTED, linewidth=1)
        axes.set(ylim=(-1.05, 1.05), xlabel="rows, sorted", ylabel=f"change of {name}")

    says = f"By {name}, {up} rows gain, {down} lose and {len(change) - up - down} stay as they were."
    return Plot("Gains and losses", says, _svg("gains", draw))


def _svg(name: str, draw: Any) -> str:
    with rc_context({**STYLE, "svg.hashsalt": name}):
        figure = Figure(figsize=SIZE, layout="constrained")
        axes = figure.subplots()
        draw(axes)
        out = io.StringIO()
        figure.savefig(out, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return _inline(out.getvalue())


def _inline(svg: str) -> str:
    """Without what only a file of its own needs, in the page's colours and font, and hidden from screen readers."""
    body = svg[svg.index("<svg") :]
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    body = re.sub(r"<style[^>]*>.*?</style>", "", body, flags=re.DOTALL)
    body = re.sub(r"font: ([\d.]+)px [^;\"]*", r"font-size: \1px", body)
    for colour, variable in THEME.items():
        body = body.replace(colour, f"var(--{variable})")
    head, rest = body.split(">", 1)
    head = re.sub(r' (width|height|xmlns\S*|version)="[^"]*"', "", head)
    return f'{head} aria-hidden="true" focusable="false">{rest}'
