"""Which passages' readings count, and what the gates are told."""

from __future__ import annotations

from handrail.retrieve.answers import reading_signals, to_read
from handrail.types import Hit, Passage


def hit(number: int, rerank: float | None, reading: float | None = None) -> Hit:
    passage = Passage(f"a{number}/1", f"a{number}", 1, "Title", (), f"Text {number}.", "", 2)
    return Hit(passage, rerank=rerank, reading=reading)


def test_the_readings_of_the_passages_the_cross_encoder_likes_best_count() -> None:
    hits = [hit(1, 0.5, 0.9), hit(2, None), hit(3, 2.0, -0.3), hit(4, -1.0, 5.0), hit(5, 1.0, 0.2)]

    assert reading_signals(hits) == {"reader_top": 0.9, "reader_first": -0.3}
    assert [text for _, text in to_read("how?", hits, 50)] == ["Title\nText 3.", "Title\nText 5.", "Title\nText 1."]


def test_nothing_is_said_where_nothing_was_read() -> None:
    assert reading_signals([hit(1, 0.5), hit(2, None)]) == {}
    assert reading_signals([]) == {}
