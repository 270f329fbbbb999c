"""What the gates are told of what was read."""

from __future__ import annotations

import pytest

from handrail.retrieve.answers import reading_signals, to_read
from handrail.types import Hit, Passage


def hit(number: int, rerank: float | None, reading: float | None = None) -> Hit:
    passage = Passage(f"a{number}/1", f"a{number}", 1, "Title", (), f"Text {number}.", "", 2)
    return Hit(passage, rerank=rerank, reading=reading)


def test_the_gates_are_told_of_the_first_the_likeliest_and_all_passages() -> None:
    hits = [hit(1, 0.5, 0.9), hit(2, None), hit(3, 2.0, -0.3), hit(4, -1.0, 5.0)]

    told = reading_signals(hits)

    assert told == {"reader_first": 0.9, "reader_top": 5.0, "reader_sum": pytest.approx(5.0213, abs=1e-4)}
    assert reading_signals(hits[:1])["reader_sum"] == pytest.approx(0.9)
    assert [text for _, text in to_read("how?", hits, 50)] == ["Title\nText 1.", "Title\nText 3.", "Title\nText 4."]


def test_nothing_is_said_where_nothing_was_read() -> None:
    assert reading_signals([hit(1, 0.5), hit(2, None)]) == {}
    assert reading_signals([]) == {}
