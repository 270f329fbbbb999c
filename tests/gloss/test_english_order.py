"""What was read word by word asks as English does, and nothing else changes."""

from __future__ import annotations

import pytest

from handrail.gloss import Interpreter
from handrail.gloss.order import in_order


@pytest.mark.parametrize(
    ("read", "asks"),
    [
        ("how move i the appointment?", "how do i move the appointment?"),
        ("where change i my address", "where do i change my address"),
        ("how i change my password?", "how do i change my password?"),
        ("how refund a customer?", "how do i refund a customer?"),
        ("hello, how move i the appointment", "hello, how do i move the appointment"),
        ("site is down and how restore we it", "site is down and how do we restore it"),
    ],
)
def test_who_does_it_stands_before_what_is_done(read: str, asks: str) -> None:
    assert in_order(read) == asks


@pytest.mark.parametrize(
    "read",
    [
        "how can i refund a customer?",
        "how do i refund a customer?",
        "how much costs the plan",
        "how long takes it",
        "how is the weather",
        "how to refund",
        "i know how refunds work",
        "where is my order",
        "how",
        "",
    ],
)
def test_what_is_in_order_stays(read: str) -> None:
    assert in_order(read) == read


def test_a_question_in_german_asks_how_to_do_it() -> None:
    interpreter = Interpreter([])

    assert interpreter.read("Wie verschiebe ich den Termin?") == "how do i move the appointment?"
    assert interpreter.read("how move i the appointment") == "how move i the appointment"
