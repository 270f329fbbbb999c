"""Whether the best passages answer the question, as signals for the gates."""

from __future__ import annotations

from collections.abc import Sequence

from handrail.retrieve.rerank import window
from handrail.types import Hit

READ = 3
"""Passages whose reading counts, those that the cross-encoder likes best."""


def reading_signals(hits: Sequence[Hit]) -> dict[str, float]:
    """`reader_top` of the passages that count, `reader_first` of the one the cross-encoder puts first, in log-odds.

    Nothing where nothing was read.
    """
    found = [hit.reading for hit in _best(hits) if hit.reading is not None]
    return {"reader_top": max(found), "reader_first": found[0]} if found else {}


def to_read(query: str, hits: Sequence[Hit], max_words: int) -> list[tuple[Hit, str]]:
    """The passages whose reading counts, best first, with the part of them that is read."""
    return [(hit, window(query, hit.passage, max_words)) for hit in _best(hits)]


def _best(hits: Sequence[Hit]) -> list[Hit]:
    scored = [hit for hit in hits if hit.rerank is not None]
    return sorted(scored, key=lambda hit: -(hit.rerank or 0.0))[:READ]
