"""Long messages read by a language model as several questions, over a real client and a scripted provider."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from handrail.errors import RetryableError
from handrail.types import Question, Understanding, Vectors
from handrail.understand.decomposed import LONG, DecomposedUnderstanding
from handrail.understand.rewrite import Embed
from tests.answers import BRAND, PROMPTS, alike, model_at
from tests.scripted_openai import Fails, Says, ScriptedOpenAI
from tests.stages import ask, request

pytestmark = pytest.mark.anyio

CASE = (
    "I moved to Madrid last month and the new card never came. Now the app asks for it whenever I pay. "
    "I also want to close the account that I had with my brother."
)
ASKED = ["How do I order a card again?", "How do I close a joint account?"]


class Alone:
    """Understands any message as one request, as it stands."""

    def __init__(self, *, crisis: bool = False) -> None:
        self._crisis = crisis

    async def read(self, question: Question) -> Understanding:
        whole = request(question.text)
        return Understanding((whole,), whole, crisis=self._crisis)


async def by_first_word(texts: Sequence[str]) -> Sequence[Vectors]:
    """An embedder to which only texts that begin alike mean the same."""
    return [np.eye(128, dtype=np.float32)[ord(text[0]) % 128] for text in texts]


async def read(
    provider: ScriptedOpenAI, question: Question, local: Alone | None = None, embed: Embed = alike
) -> Understanding:
    async with model_at(provider) as model:
        return await DecomposedUnderstanding(local or Alone(), model, PROMPTS, BRAND, embed).read(question)


def texts(understood: Understanding) -> list[str]:
    return [one.text for one in understood.requests]


async def test_each_question_is_a_request_of_its_own_and_the_whole_stays(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(Says({"questions": [*ASKED, ASKED[0], " "]}))

    found = await read(llm_provider, ask(CASE))

    assert texts(found) == ASKED
    assert found.whole.text == CASE
    assert CASE in llm_provider.requests[0].user


async def test_a_message_that_asks_one_thing_stays_whole(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(Says({"questions": ASKED[:1]}))

    assert texts(await read(llm_provider, ask(CASE))) == [CASE]


async def test_what_the_message_does_not_say_is_not_looked_up(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(Says({"questions": ["I lost a card.", "Now what about paying?", "Gift vouchers?"]}))

    assert texts(await read(llm_provider, ask(CASE), embed=by_first_word)) == [
        "I lost a card.",
        "Now what about paying?",
    ]


@pytest.mark.parametrize(
    ("question", "local"),
    [
        (ask("word " * (LONG - 1)), Alone()),
        (replace(ask(CASE), suspicious=True), Alone()),
        (ask(CASE), Alone(crisis=True)),
    ],
    ids=["short", "suspicious", "despair"],
)
async def test_a_message_that_is_short_suspicious_or_in_despair_costs_nothing(
    llm_provider: ScriptedOpenAI, question: Question, local: Alone
) -> None:
    llm_provider.script()

    assert texts(await read(llm_provider, question, local)) == [question.text]
    assert llm_provider.requests == []


async def test_a_provider_that_fails_is_the_callers_to_replace(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(Fails(503))

    with pytest.raises(RetryableError):
        await read(llm_provider, ask(CASE))
