"""Which passages are read for an answer, and what the gates are told."""

from __future__ import annotations

import pytest

from handrail.local_models.batching import Batcher
from handrail.retrieve.answers import READ, AnswerReader, to_read
from handrail.types import Hit, Passage

pytestmark = pytest.mark.anyio


def hit(number: int, rerank: float | None) -> Hit:
    passage = Passage(f"a{number}/1", f"a{number}", 1, "Title", (), f"Text {number}.", "", 2)
    return Hit(passage, rerank=rerank)


async def test_the_passages_the_cross_encoder_likes_best_are_read() -> None:
    given: list[tuple[str, str]] = []

    def score(pairs: list[tuple[str, str]]) -> list[float]:
        given.extend(pairs)
        return [float(len(given)) for _ in pairs]

    hits = [hit(1, 0.5), hit(2, None), hit(3, 2.0), hit(4, -1.0), hit(5, 1.0)]
    model = Batcher("read", score, 8, 100)
    try:
        signals = await AnswerReader(model, 50).signals("how?", hits)
        nothing = await AnswerReader(model, 50).signals("how?", [hit(1, None)])
    finally:
        model.close()

    assert [text for _, text in given] == ["Title\nText 3.", "Title\nText 5.", "Title\nText 1."]
    assert [item.passage.article_id for item, _ in to_read("how?", hits, 50)] == ["a3", "a5", "a1"]
    assert set(signals) == {"reader_top", "reader_first"} and len(given) == READ
    assert nothing == {}
