"""Percentile bootstrap intervals (Efron and Tibshirani, 1993)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Interval = tuple[float, float]
Rows = NDArray[np.intp]

SEED = 20_240_229
"""Fixed, so that the same results always have the same interval."""


def interval(n: int, statistic: Callable[[Rows], float], resamples: int = 1000) -> Interval | None:
    """95 % interval of `statistic` over `n` rows, drawn with replacement.

    `statistic` gets row indexes and may return NaN for a draw on which it is not defined. None when `n` is below 2 or
    no draw gave a number.
    """
    if n < 2:
        return None
    random = np.random.default_rng(SEED)
    values = np.asarray([statistic(random.integers(0, n, n)) for _ in range(resamples)], dtype=float)
    values = values[~np.isnan(values)]
    if not len(values):
        return None
    low, high = np.quantile(values, (0.025, 0.975))
    return float(low), float(high)


def mean_interval(values: NDArray[Any]) -> Interval | None:
    """95 % interval of the mean of `values`."""
    return interval(len(values), lambda rows: float(values[rows].mean()))
