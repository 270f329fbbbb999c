"""How well a ranking of articles answers, and whether one way of ranking beats another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

DEPTH = 10
RESAMPLES = 2000
SEED = 7


@dataclass(frozen=True, slots=True)
class Scores:
    """One row's figures, each in [0, 1]."""

    ndcg: float
    mrr: float
    hit1: float
    hit5: float


NAMES = {"ndcg@10": "ndcg", "mrr": "mrr", "hit@1": "hit1", "hit@5": "hit5"}


@dataclass(frozen=True, slots=True)
class Gain:
    """Mean paired difference and its 95 % interval."""

    low: float
    mean: float
    high: float

    @property
    def won(self) -> bool:
        return self.low > 0


def scores(ranked: Sequence[str], gold: Sequence[str]) -> Scores:
    """`ranked` holds different articles, best first; a gold id may be the first 16 characters of an article's."""
    places = [place for place, article in enumerate(ranked[:DEPTH]) if _is_gold(article, gold)]
    ideal = sum(1 / math.log2(place + 2) for place in range(min(len(gold), DEPTH)))
    first = places[0] if places else DEPTH
    return Scores(
        sum(1 / math.log2(place + 2) for place in places) / ideal if ideal else 0.0,
        1 / (first + 1) if places else 0.0,
        float(first == 0),
        float(first < 5),
    )


def _is_gold(article: str, gold: Sequence[str]) -> bool:
    return any(article == name or (len(name) >= 16 and article.startswith(name)) for name in gold)


def mean(rows: Sequence[Scores]) -> dict[str, float]:
    return {name: round(float(np.mean([getattr(row, field) for row in rows])), 4) for name, field in NAMES.items()}


def gain(before: Sequence[Scores], after: Sequence[Scores], clusters: Sequence[str]) -> Gain:
    """Of nDCG@10; whole articles are drawn, since questions of one article rise and fall together."""
    return paired(np.asarray([b.ndcg - a.ndcg for a, b in zip(before, after, strict=True)]), clusters)


def paired(differences: NDArray[np.float64], clusters: Sequence[str]) -> Gain:
    """Of one difference a row; whole clusters are drawn."""
    names = sorted(set(clusters))
    index = {name: number for number, name in enumerate(names)}
    owner = np.asarray([index[name] for name in clusters])
    sums = np.bincount(owner, weights=differences, minlength=len(names))
    counts = np.bincount(owner, minlength=len(names))
    drawn = np.random.default_rng(SEED).integers(0, len(names), (RESAMPLES, len(names)))
    low, high = np.quantile(sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1), (0.025, 0.975))
    return Gain(float(low), float(differences.mean()), float(high))
