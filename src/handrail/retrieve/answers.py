"""Whether the best passages answer the question, as signals for the gates."""

from __future__ import annotations

from collections.abc import Sequence

from handrail.local_models.batching import Batcher
from handrail.retrieve.rerank import window
from handrail.types import Hit

READ = 3
"""Passages read, those that the cross-encoder likes best."""


class AnswerReader:
    def __init__(self, model: Batcher[tuple[str, str], float], max_words: int) -> None:
        self._model = model
        self._max_words = max_words

    async def signals(self, query: str, hits: Sequence[Hit]) -> dict[str, float]:
        """`reader_top` of all passages read, `reader_first` of the one the cross-encoder puts first, in log-odds.

        Nothing where there is no passage.
        """
        pairs = [(query, text) for _, text in to_read(query, hits, self._max_words)]
        found = [float(value) for value in await self._model.submit(pairs)]
        return {"reader_top": max(found), "reader_first": found[0]} if found else {}


def to_read(query: str, hits: Sequence[Hit], max_words: int) -> list[tuple[Hit, str]]:
    """The passages that are read, best first, with the part of them that is."""
    scored = sorted((hit for hit in hits if hit.rerank is not None), key=lambda hit: -(hit.rerank or 0.0))
    return [(hit, window(query, hit.passage, max_words)) for hit in scored[:READ]]
