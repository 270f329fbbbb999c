"""What an agent wrote against what the assistant had answered, with the real models."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import cache
from pathlib import Path

import pytest

from handrail.assembly.models import Scores, entailing
from handrail.assembly.parts import shared_words
from handrail.models.batching import Batcher
from handrail.verify.contradicted import contradicted
from handrail.verify.local import LocalVerifier
from handrail.verify.model import load_model
from tests.sample import sample_settings

pytestmark = [pytest.mark.anyio, pytest.mark.models]

SETTINGS = sample_settings(Path("unused"))


@cache
def score() -> Scores:
    return entailing(SETTINGS, shared_words)


@pytest.fixture
async def entails() -> AsyncIterator[Batcher[tuple[str, str], float]]:
    batcher = Batcher("entails", score(), 64, 1000)
    yield batcher
    batcher.close()


@pytest.mark.parametrize(
    ("answer", "reply", "expected"),
    [
        ("You can cancel at any time.", "Sorry, you cannot cancel at any time. It runs for a year.", True),
        ("You can cancel at any time.", "Yes, you can cancel at any time. I have done it for you.", False),
        ("Bank transfer is possible on yearly plans.", "Sadly bank transfer isn't possible on yearly plans.", True),
        ("Refunds are paid within 5 days. [1]", "I checked. Refunds are paid within 14 days, sorry.", True),
        ("Refunds are paid within 5 days.", "Refunds are paid within 5 days. Yours left 2 days ago.", False),
        ("Open **Settings** and choose **Domains**.", "I've connected it for you, that took 3 minutes.", False),
    ],
)
async def test_an_opposite_or_another_figure_is_a_contradiction(
    entails: Batcher[tuple[str, str], float], answer: str, reply: str, expected: bool
) -> None:
    verifier = LocalVerifier(entails, load_model(), SETTINGS.verify)

    assert await contradicted(answer, reply, entails, verifier, least=SETTINGS.verify.shown_from) is expected
