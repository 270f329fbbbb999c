"""A linear map that brings queries nearer to the passages that answer them; ridge regression on the difference."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from handrail.types import Vectors

STRENGTHS = (0.1, 0.3, 1.0, 3.0)
"""Ridge penalties, as shares of the mean eigenvalue of the queries' second moment times their number."""


def ridge(queries: Vectors, passages: Vectors, strength: float) -> Vectors:
    """`(d, d)` float32 to be added to the identity; `queries` and `passages` are `(n, d)`, row by row."""
    moment = queries.T @ queries
    penalty = strength * float(np.trace(moment)) / len(moment)
    shift = np.linalg.solve(moment + penalty * np.eye(len(moment)), queries.T @ (passages - queries))
    return np.asarray(shift, dtype=np.float32)


def best(
    queries: Vectors, passages: Vectors, checked: Vectors, gold: Sequence[int], everything: Vectors
) -> Vectors | None:
    """The map that ranks the gold passages of `checked` highest among `everything`; None where none beats no map."""
    found, highest = None, reciprocal_rank(checked, gold, everything)
    for strength in STRENGTHS:
        shift = ridge(queries, passages, strength)
        moved = checked + checked @ shift
        reached = reciprocal_rank(moved, gold, everything)
        if reached > highest:
            found, highest = shift, reached
    return found


def reciprocal_rank(queries: Vectors, gold: Sequence[int], everything: Vectors) -> float:
    """Mean over queries of 1 / rank of the gold passage, by inner product: one query's length changes nothing."""
    total = 0.0
    for query, row in zip(queries, gold, strict=True):
        products = everything @ query
        total += 1.0 / (1 + int((products > products[row]).sum()))
    return total / len(gold) if gold else 0.0
