"""The figures as a Markdown table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from eval.scale.apart import Figures

Row = tuple[str, int, Mapping[str, Figures]]
"""Index, passages, and figures by stage."""
HEAD = (
    "index", "passages", "store filled", "keyword index made", "memory to build", "start", "memory to serve",
    "mapped files", "nearest 50, p50 / p95", "processor", "with a filter", "keywords", "keyword index on disk",
    "recall@10", "load",
)  # fmt: skip


def table(rows: Sequence[Row]) -> str:
    lines = [HEAD, ["---"] * len(HEAD), *(_cells(*row) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def flat(stages: Mapping[str, Figures]) -> Figures:
    """All figures of one size; the load is the highest of the stages that search, and memory the most of any stage."""
    found = {name: value for figures in stages.values() for name, value in figures.items()}
    loads = [stages[name]["load"] for name in ("serve", "search", "words") if name in stages]
    most = [figures[name] for figures in stages.values() for name in ("build_mb", "keywords_mb") if name in figures]
    return {**found, "load": max(loads, default=0.0), "most_mb": max(most, default=0.0)}


def _cells(index: str, count: int, stages: Mapping[str, Figures]) -> list[str]:
    figures = flat(stages)

    def said(name: str, form: str, unit: str = "") -> str:
        return f"{figures[name]:{form}}{unit}" if name in figures else ""

    def both(name: str) -> str:
        return (
            f"{figures[f'{name}_p50_ms']:.2g} / {figures[f'{name}_p95_ms']:.2g} ms"
            if f"{name}_p50_ms" in figures
            else ""
        )

    held = [figures[name] for name in ("serve_mb", "snapshot_mb", "keyword_mb") if name in figures]
    return [
        index,
        f"{count:,}",
        said("store_s", ".0f", " s"),
        said("snapshot_s", ".0f", " s") or said("keywords_s", ".0f", " s"),
        f"{figures['most_mb'] / 1024:.1f} GB" if figures["most_mb"] else "",
        said("start_s", ".1f", " s"),
        f"{sum(held):.0f} MB" if held else "",
        said("mapped_mb", ".0f", " MB"),
        both("vector"),
        said("vector_cpu_ms", ".2g", " ms"),
        both("filtered"),
        both("keyword"),
        said("keywords_disk_mb", ".0f", " MB"),
        said("recall_10", ".3f"),
        said("load", ".1f"),
    ]
