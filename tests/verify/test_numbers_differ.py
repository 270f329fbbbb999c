"""Numbers that a passage does not have, or says of something else."""

from __future__ import annotations

import pytest

from handrail.verify.features import signals
from handrail.verify.measure import Pair, chosen_window

BELL = "The bell records 30 seconds when somebody presses the button and 10 seconds when it sees movement."
TRIAL = "The trial lasts two weeks. From then on 1,000 requests a day cost 5 %, or 12.50 euros at most."


def differ(claim: str, passage: str) -> bool:
    window = chosen_window(Pair(claim, passage))
    assert window is not None
    found = signals(claim, passage, "", window)
    return any(found[name] > 0 for name in ("number_absent", "number_elsewhere", "number_misbound"))


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("Pressing the button records 30 seconds.", BELL),
        ("It records half a minute when somebody presses the button.", BELL),
        ("It records 10 seconds when it sees movement and 30 seconds when the button is pressed.", BELL),
        ("You can try it for a fortnight.", TRIAL),
        ("The trial lasts 14 days.", TRIAL),
        ("A thousand requests a day cost five percent, €12.50 at most.", TRIAL),
    ],
)
def test_the_same_number_said_otherwise_is_no_other(claim: str, passage: str) -> None:
    assert not differ(claim, passage)


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("Pressing the button records 40 seconds.", BELL),
        ("Pressing the button records 30 minutes.", BELL),
        ("It records 10 seconds when somebody presses the button and 30 seconds when it sees movement.", BELL),
        ("The trial lasts 14 weeks.", TRIAL),
        ("1,000 requests a day cost 12.50 dollars at most.", TRIAL),
    ],
)
def test_another_number_or_one_said_of_something_else_differs(claim: str, passage: str) -> None:
    assert differ(claim, passage)
