"""Milliseconds per stage."""

from __future__ import annotations

import pytest

from handrail.turn.stopwatch import Stopwatch
from tests.clock import Clock


def test_laps_and_total_are_milliseconds_to_a_tenth() -> None:
    clock = Clock()
    watch = Stopwatch(clock)

    with watch.lap("retrieve"):
        clock.now += 0.02134
    clock.now += 0.1

    assert watch.laps() == {"retrieve": 21.3, "total": 121.3}


def test_laps_of_one_stage_add_up() -> None:
    clock = Clock()
    watch = Stopwatch(clock)

    for seconds in (0.01, 0.02):
        with watch.lap("generate"):
            clock.now += seconds

    assert watch.laps()["generate"] == 30.0


def test_a_stage_that_fails_is_counted_too() -> None:
    clock = Clock()
    watch = Stopwatch(clock)

    with pytest.raises(ValueError, match="away"), watch.lap("generate"):
        clock.now += 0.5
        raise ValueError("away")

    assert watch.laps()["generate"] == 500.0
