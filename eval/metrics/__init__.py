"""Metrics: pure functions from per-row results to numbers; None means not applicable, never zero."""

from __future__ import annotations

from collections.abc import Sequence


def share(values: Sequence[bool]) -> float | None:
    """In [0, 1]; None for no values."""
    return sum(values) / len(values) if values else None
