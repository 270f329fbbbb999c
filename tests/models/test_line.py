"""Who is worked for next."""

from __future__ import annotations

from handrail.models.line import PATIENCE_S, Line
from tests.clock import Clock


def taken(line: Line[str]) -> list[str]:
    """All jobs in the order they are taken."""
    line.end()
    found = []
    while (job := line.take()) is not None:
        found.append(job)
    return found


def test_first_come_first_served_among_equals() -> None:
    line: Line[str] = Line(Clock())
    for job in "abc":
        line.put(job)

    assert taken(line) == ["a", "b", "c"]


def test_what_comes_soon_after_something_for_later_goes_first_and_then_no_more() -> None:
    clock = Clock()
    line: Line[str] = Line(clock)
    line.put("later", later=True)
    clock.now += PATIENCE_S / 2
    line.put("soon")
    clock.now += PATIENCE_S
    line.put("long after")

    assert taken(line) == ["soon", "later", "long after"]


def test_only_what_somebody_waits_for_is_taken_along() -> None:
    clock = Clock()
    line: Line[str] = Line(clock)
    line.put("later", later=True)
    line.put("now")

    assert [line.take_now(), line.take_now()] == ["now", None]
    assert line.take() == "later"
    line.end()
    assert line.take_now() is None
    assert line.take() is None
