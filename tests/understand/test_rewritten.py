"""Follow-ups made standalone by a language model, over a real client and a scripted provider."""

from __future__ import annotations

import pytest

from handrail.errors import RetryableError
from handrail.types import Exchange, Label, Question, Request, Routing, Sense, Understanding, Wordings
from handrail.understand.rewrite import Embed
from handrail.understand.rewritten import RewrittenUnderstanding
from tests.answers import BRAND, PROMPTS, alike, apart, model_at
from tests.scripted_openai import Fails, Says, ScriptedOpenAI
from tests.stages import Understands, ask, asking, request, sense

pytestmark = pytest.mark.anyio

ASKED = "How do I connect a domain by DNS records?"
DOMAIN = Exchange(ASKED, ASKED, "Open Settings.", Routing.ANSWERED, ("domains:dns",), ("Connect by DNS records",))
MESSAGE = "how long?"
CARRIED = sense(f"{ASKED} {MESSAGE}", prior=0.7, wordings=Wordings({MESSAGE: 0.6}, ("domains:dns",)), carried=True)
ALONE = sense(MESSAGE, Label.NONSENSE, prior=0.3)
STANDALONE = "How long does connecting a domain by DNS records take?"


def follow_up(*senses: Sense) -> Understands:
    whole = Request(MESSAGE, senses or (CARRIED, ALONE))
    return Understands(Understanding((whole,), whole, depends=0.7))


async def read(
    provider: ScriptedOpenAI, local: Understands, question: Question | None = None, embed: Embed = alike
) -> Understanding:
    async with model_at(provider) as model:
        rewritten = RewrittenUnderstanding(local, model, PROMPTS, BRAND, embed)
        return await rewritten.read(question or ask(MESSAGE, history=(DOMAIN,)))


async def test_a_model_writes_the_standalone_question_and_the_message_itself_is_searched_for_too(
    llm_provider: ScriptedOpenAI,
) -> None:
    llm_provider.script(Says({"depends": True, "question": STANDALONE}))

    found = await read(llm_provider, follow_up())

    [only] = found.whole.senses
    assert (only.text, only.prior) == (STANDALONE, 1.0)
    assert only.wordings is not None
    assert (list(only.wordings.beside), only.wordings.favoured) == ([MESSAGE], ("domains:dns",))
    assert only.classification == CARRIED.classification
    assert found.requests == (found.whole,)
    assert f"Visitor: {ASKED}" in llm_provider.requests[0].user


async def test_a_message_that_stands_alone_is_not_rewritten_and_costs_nothing(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script()
    local = asking(request("How do I refund an order?"))

    found = await read(llm_provider, local)

    assert found == local.result
    assert llm_provider.requests == []


async def test_what_the_model_finds_complete_is_understood_alone(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(Says({"depends": False, "question": MESSAGE}))

    assert (await read(llm_provider, follow_up())).whole.senses == (ALONE,)


async def test_where_it_cannot_be_meant_alone_the_model_does_not_say_otherwise(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(Says({"depends": False, "question": MESSAGE}))

    assert (await read(llm_provider, follow_up(CARRIED))).whole.senses == (CARRIED,)


@pytest.mark.parametrize(
    ("message", "written"),
    [("and TW-3007?", "What does the error mean?"), ("how long?", ""), ("how long?", "word " * 60)],
    ids=["loses a code", "nothing", "a speech"],
)
async def test_a_model_that_loses_what_was_said_is_not_followed(
    llm_provider: ScriptedOpenAI, message: str, written: str
) -> None:
    llm_provider.script(Says({"depends": True, "question": written}))
    local = follow_up()

    found = await read(llm_provider, local, ask(message, history=(DOMAIN,)))

    assert found == local.result


async def test_a_standalone_question_about_something_else_is_not_followed(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(Says({"depends": True, "question": "What is the refund policy?"}))
    local = follow_up()

    assert await read(llm_provider, local, embed=apart) == local.result


async def test_requests_of_a_message_of_several_stay_as_they_are(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(Says({"depends": True, "question": STANDALONE}))
    several = asking(request("how long?"), request("and the price?"), whole=Request(MESSAGE, (CARRIED, ALONE)))
    assert isinstance(several.result, Understanding)

    found = await read(llm_provider, several)

    assert found.requests == several.result.requests
    assert found.whole.senses[0].text == STANDALONE


async def test_a_provider_that_fails_is_the_callers_to_replace(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(Fails(503))

    with pytest.raises(RetryableError):
        await read(llm_provider, follow_up())
