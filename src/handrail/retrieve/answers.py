"""Whether the best passages answer the question, as signals for the gates."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log

from handrail.retrieve.rerank import window
from handrail.types import Hit


def reading_signals(hits: Sequence[Hit]) -> dict[str, float]:
    """Of what was read of the passages that were; nothing where nothing was."""
    return signals_of([hit.reading for hit in hits if hit.reading is not None])


def signals_of(read: Sequence[float]) -> dict[str, float]:
    """Log-odds that a passage answers: of the first in the order, of the likeliest, and of all as one (log-sum-exp)."""
    if not read:
        return {}
    top = max(read)
    return {"reader_first": read[0], "reader_top": top, "reader_sum": top + log(sum(exp(each - top) for each in read))}


def to_read(query: str, hits: Sequence[Hit], max_words: int) -> list[tuple[Hit, str]]:
    """The passages that are read, in their order, with the part of them that is."""
    return [(hit, window(query, hit.passage, max_words)) for hit in hits if hit.rerank is not None]
