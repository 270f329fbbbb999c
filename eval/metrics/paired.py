"""Two runs on the same rows: paired differences, with what chance alone would do."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest

from eval.metrics.bootstrap import SEED, Interval

RESAMPLES = 5000
BLOCK = 500

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Paired:
    """B minus A over rows that both measured."""

    n: int
    a: float
    b: float
    difference: float
    interval: Interval | None
    """95 %, percentile bootstrap over rows (Efron and Tibshirani, 1993); None for a single row."""
    gained: int
    """Rows where B is higher."""
    lost: int
    p: float | None
    """Two-sided exact McNemar test; None where values are not yes or no."""


def paired(a: Values, b: Values) -> Paired:
    """Of two arrays with one value per row, in the same order; at least one row."""
    difference = b - a
    gained, lost = int((difference > 0).sum()), int((difference < 0).sum())
    return Paired(
        n=len(a),
        a=float(a.mean()),
        b=float(b.mean()),
        difference=float(difference.mean()),
        interval=_interval(difference),
        gained=gained,
        lost=lost,
        p=mcnemar(gained, lost) if binary(a) and binary(b) else None,
    )


def mcnemar(gained: int, lost: int) -> float:
    """Exact: of the rows that changed, each is as likely to be gained as lost (McNemar, 1947). 1 when none changed."""
    return float(binomtest(gained, gained + lost).pvalue) if gained + lost else 1.0


def worse(difference: Values, yes_or_no: bool) -> float:
    """One-sided p: how often chance alone would lose as much as `difference` (new minus old, higher is better) shows.

    Exact McNemar for yes or no, else a sign-flipping test (Fisher, 1935) over 5,000 draws with a fixed seed.
    """
    gained, lost = int((difference > 0).sum()), int((difference < 0).sum())
    if gained + lost == 0:
        return 1.0
    if yes_or_no:
        return float(binomtest(lost, gained + lost, alternative="greater").pvalue)
    random = np.random.default_rng(SEED)
    changed = difference[difference != 0]
    as_low = 0
    for _ in range(RESAMPLES // BLOCK):
        signs = random.integers(0, 2, (BLOCK, len(changed))) * 2 - 1
        as_low += int(((signs * np.abs(changed)).sum(axis=1) <= changed.sum() + 1e-12).sum())
    return (as_low + 1) / (RESAMPLES + 1)


def binary(values: Values) -> bool:
    return bool(np.isin(values, (0.0, 1.0)).all())


def _interval(difference: Values) -> Interval | None:
    n = len(difference)
    if n < 2:
        return None
    random = np.random.default_rng(SEED)
    means = np.concatenate(
        [difference[random.integers(0, n, (BLOCK, n))].mean(axis=1) for _ in range(RESAMPLES // BLOCK)]
    )
    low, high = np.quantile(means, (0.025, 0.975))
    return float(low), float(high)
