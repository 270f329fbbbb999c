"""Languages the encoder does not read."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from handrail.types import Label, Probe
from handrail.understand.classify.unread import UnreadLanguage
from tests.stages import ask, says

pytestmark = pytest.mark.anyio


def probe(known: float) -> Probe:
    return Probe(np.zeros(2, dtype=np.float32), {"known": known})


@pytest.mark.parametrize("label", [Label.NONSENSE, Label.IRRELEVANT, Label.OUT_OF_SCOPE])
async def test_a_message_in_the_articles_own_words_is_not_turned_away_unread(label: Label) -> None:
    russian = replace(ask("какие батарейки нужны"), lang="ru")

    assert (await UnreadLanguage(says(label), "ru").classify(russian, probe(0.7))).label is Label.ANSWERABLE
    assert (await UnreadLanguage(says(label), "ru").classify(russian, probe(0.2))).label is label


async def test_high_stakes_and_other_languages_stay_as_they_were_found() -> None:
    russian, english = replace(ask("верните деньги"), lang="ru"), ask("asdf")

    assert (await UnreadLanguage(says(Label.HIGH_STAKES), "ru").classify(russian, probe(1.0))).label is (
        Label.HIGH_STAKES
    )
    assert (await UnreadLanguage(says(Label.NONSENSE), "ru").classify(english, probe(1.0))).label is Label.NONSENSE
