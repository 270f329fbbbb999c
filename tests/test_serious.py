"""What articles say of a visitor's own customers is no answer to somebody who speaks of himself."""

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
