"""Labels are the mean of what two encoders say; nothing else decides."""

from __future__ import annotations

import numpy as np
import pytest

from handrail.types import Label, Probe, Vectors
from handrail.understand.classify.encoder import LABELS, LONGEST, UNTOLD, EncoderClassifier, encoder_text
from tests.stages import ask

pytestmark = pytest.mark.anyio

NOWHERE = np.zeros(3, dtype=np.float32)


def says(label: Label, strength: float = 4.0) -> Vectors:
    return np.asarray([strength * (one is label) for one in LABELS], dtype=np.float32)


def probe(english: Vectors | None, foreign: Vectors | None, *, abroad: bool = False) -> Probe:
    return Probe(NOWHERE, english, foreign, abroad)


async def test_the_surer_encoder_wins_and_both_count() -> None:
    classifier = EncoderClassifier(0.4)

    found = await classifier.classify(ask("where is it"), probe(says(Label.ANSWERABLE, 6), says(Label.HIGH_STAKES, 1)))

    assert found.label is Label.ANSWERABLE
    assert found.probabilities[Label.HIGH_STAKES] > 0.1
    assert sum(found.probabilities.values()) == pytest.approx(1.0, abs=1e-5)


async def test_a_message_in_another_language_is_told_by_the_encoder_that_reads_it() -> None:
    both = probe(says(Label.NONSENSE), says(Label.HIGH_STAKES), abroad=True)

    assert (await EncoderClassifier(0.4).classify(ask("mein Konto ist weg"), both)).label is Label.HIGH_STAKES


async def test_in_doubt_it_is_a_question() -> None:
    doubtful = probe(says(Label.IRRELEVANT, 1), says(Label.OUT_OF_SCOPE, 1))

    found = await EncoderClassifier(0.4).classify(ask("gift wrapping?"), doubtful)

    assert found.label in (Label.ANSWERABLE, Label.HIGH_STAKES)


async def test_without_encoders_everything_is_a_question() -> None:
    assert await EncoderClassifier(0.4).classify(ask("hello there"), probe(None, None)) == UNTOLD


async def test_a_message_without_letters_or_digits_is_nonsense() -> None:
    assert (await EncoderClassifier(0.4).classify(ask("?!?!"), probe(None, None))).label is Label.NONSENSE


def test_the_company_is_nobody_in_particular_and_a_long_message_keeps_both_ends() -> None:
    assert encoder_text("Does Acme ship?", "acme") == "Does our company ship?"
    long = encoder_text("begin " + "x" * 2000 + " end")
    assert len(long) <= LONGEST + 1
    assert long.startswith("begin") and long.endswith("end")
