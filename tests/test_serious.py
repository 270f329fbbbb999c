"""When articles are quoted beside a serious matter."""

from __future__ import annotations

import pytest

from handrail.serious import quotes_fit
from handrail.types import Claim, Draft, Evidence, Hit, Passage
from tests.stages import ask, passage

pytestmark = pytest.mark.anyio

THEIRS = passage("refunds/1", "Choose Refund.", title="Refund a customer")
OWN = passage("plans/1", "A yearly plan is refunded.", title="Cancel your plan")


@pytest.mark.parametrize(
    ("message", "quoted", "fits"),
    [
        ("will you refund me or not?", THEIRS, False),
        ("will you refund me or not?", OWN, True),
        ("refund my customer now", THEIRS, True),
        ("refund now", THEIRS, True),
        ("someone did not show up, can I charge them", THEIRS, True),
    ],
)
async def test_whose_refund_it_is_decides(message: str, quoted: Passage, fits: bool) -> None:
    evidence = Evidence(message, (Hit(quoted),), {"rerank_top": 4.0})

    assert await quotes_fit(None, ask(message), Draft([Claim("x", (quoted.id,))], "extractive"), evidence, 0.8) is fits


@pytest.mark.parametrize(
    ("said", "fits"),
    [
        ("Several people with headaches: go outside, call 112.", True),
        ("Leave the building and warn the neighbours.", True),
        ("In danger call the gas emergency line.", True),
        ("Call us between 9 and 5.", False),
        ("Leave the flat by 11 and the keys on the table.", False),
        ("Leave the house clean.", False),
        ("The plan costs EUR 112.", False),
    ],
)
async def test_what_to_do_in_an_emergency_is_not_held_back(said: str, fits: bool) -> None:
    found = passage("gas/1", said, title="Smell of gas")
    evidence = Evidence("headaches", (Hit(found),), {"rerank_top": -4.0})

    draft = Draft([Claim(said, (found.id,))], "extractive")

    assert await quotes_fit(None, ask("we all have headaches"), draft, evidence, 0.8) is fits
