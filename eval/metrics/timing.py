"""Percentiles of durations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np


def percentiles(milliseconds: Sequence[float]) -> dict[str, float | None]:
    """`p50_ms` and `p95_ms`, linear between neighbours; None for no durations."""
    if not milliseconds:
        return {"p50_ms": None, "p95_ms": None}
    p50, p95 = np.percentile(milliseconds, (50, 95))
    return {"p50_ms": round(float(p50), 2), "p95_ms": round(float(p95), 2)}


def by_stage(turns: Sequence[Mapping[str, float]]) -> dict[str, dict[str, float | None]]:
    """Percentiles per stage over the turns that went through it; `total` is no stage."""
    names = dict.fromkeys(name for turn in turns for name in turn if name != "total")
    return {name: percentiles([turn[name] for turn in turns if name in turn]) for name in names}
