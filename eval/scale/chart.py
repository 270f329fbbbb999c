"""The figures of all sizes as one picture."""

from __future__ import annotations

import io
from collections.abc import Sequence

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter

from eval.scale.apart import Figures
from eval.scale.table import Row, flat

STYLE = {
    "svg.fonttype": "none", "svg.hashsalt": "scale", "font.family": "sans-serif", "font.size": 9,
    "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "axes.axisbelow": True,
    "grid.color": "#dddddd", "legend.frameon": False,
}  # fmt: skip
COLOURS = ("#1f5fbf", "#c2570c", "#2e7d32", "#7b3fa0")
Line = tuple[str, str, float]
"""Figure, style, and what it is divided by."""
PANELS: Sequence[tuple[str, Sequence[Line]]] = (
    ("Nearest 50: p50 (line) and p95 (dotted), ms", (("vector_p50_ms", "o-", 1), ("vector_p95_ms", "o:", 1))),
    ("Keywords: p50 (line) and p95 (dotted), ms", (("keyword_p50_ms", "o-", 1), ("keyword_p95_ms", "o:", 1))),
    ("Building, minutes", (("built_s", "o-", 60),)),
    ("Memory to build (line) and to serve (dotted), GB", (("most_mb", "o-", 1024), ("held_mb", "o:", 1024))),
)


def chart(rows: Sequence[Row]) -> str:
    """SVG, the same for the same figures. A line for each index."""
    indexes = sorted({index for index, _, _ in rows})
    with rc_context(STYLE):  # type: ignore[arg-type]
        figure = Figure(figsize=(9, 6.4), layout="constrained")
        for axes, (title, lines) in zip(figure.subplots(2, 2).flat, PANELS, strict=True):
            for index, colour in zip(indexes, COLOURS, strict=False):
                points = [(count, _summed(flat(stages))) for name, count, stages in rows if name == index]
                for figure_name, style, unit in lines:
                    label = index if style == "o-" else None
                    held = [(count, one[figure_name] / unit) for count, one in points if one.get(figure_name)]
                    if held:
                        axes.plot(*zip(*held, strict=True), style, color=colour, markersize=4, label=label)
            _set(axes, title)
        out = io.StringIO()
        figure.savefig(out, format="svg", facecolor="white", metadata={"Date": None, "Creator": None})
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def _summed(figures: Figures) -> Figures:
    built = sum(figures.get(name, 0.0) for name in ("store_s", "snapshot_s", "keywords_s"))
    held = sum(figures.get(name, 0.0) for name in ("serve_mb", "snapshot_mb", "keyword_mb", "mapped_mb"))
    return {**figures, "built_s": built, "held_mb": held}


def _set(axes: Axes, title: str) -> None:
    axes.set_title(title, fontsize=9, loc="left")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("passages")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
        axis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_minor_formatter(FuncFormatter(_between_powers))
    if axes.lines:
        axes.legend()


def _between_powers(value: float, position: object = None) -> str:
    """The label of a tick between two powers of ten: twice and five times the lower one have room for theirs."""
    told = f"{value:,.10g}"
    return told if told.strip("0.,") in ("2", "5") else ""
