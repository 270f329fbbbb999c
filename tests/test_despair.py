"""Who speaks of ending their life is heard, whatever else the message asks."""

from __future__ import annotations

import numpy as np
import pytest

from handrail.classify.always import AlwaysAnswerable
from handrail.classify.known import KnownMessages
from handrail.despair import speaks_of_dying
from handrail.types import Label, Probe, Question


@pytest.mark.parametrize(
    "text",
    [
        "I don't want to wake up tomorrow. can you make it loop?",
        "failed again. i've got the tablets here in front of me. when are resits",
        "i just want to die",
        "honestly I’m thinking about suicide, how do I pause the plan",
        "They would be better off without me.",
        "I do not want to live anymore",
        "Ich will nicht mehr leben",
        "je n'ai plus envie de vivre",
        "no quiero vivir más",
        "não quero mais viver",
        "non voglio più vivere",
        "ik wil niet meer leven",
        "nie chcę już żyć",
        "не хочу больше жить",
    ],
)
@pytest.mark.anyio
async def test_it_is_high_stakes_by_rule(text: str) -> None:
    found = await KnownMessages(AlwaysAnswerable(), [], []).classify(
        Question(text, "t", "s"), Probe(np.zeros(3, dtype=np.float32))
    )

    assert (found.label, found.by) == (Label.HIGH_STAKES, "rule")


@pytest.mark.parametrize(
    "text",
    [
        "my phone is about to die, how do I save the draft",
        "how do I kill a process that hangs",
        "end of life of version 3?",
        "this app is killing me",
        "I don't want to live chat, give me the article",
        "we do not want to be here in the list of partners",
        "how do I end my subscription and my trial",
        "can the bot take my order",
        "the pump takes its own life",
        "can they take it all in one go",
        "who plays in Suicide Squad",
        "does the token die after an hour",
        "das Abo soll nicht mehr laufen",
        "je veux mettre fin à mon abonnement",
        "quiero dar de baja mi plan",
    ],
)
def test_other_ends_are_not_meant(text: str) -> None:
    assert not speaks_of_dying(text)
