"""Replies while they are written: claims as they end, streams that stall or break off."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from handrail.answer.llm import CitedAnswer, ClaimReader, ReplyReader
from handrail.errors import RetryableError
from handrail.llm.kinds import Stalled
from handrail.llm.prompts import RenderedPrompt
from handrail.types import Claim
from tests.llm.test_llm_chat import connected
from tests.scripted_openai import Fails, Says, ScriptedOpenAI, Streams
from tests.stages import RECORDS, STEPS

pytestmark = pytest.mark.anyio

PROMPT = RenderedPrompt("answer", "You answer.", "How?", "1", "0" * 12, "local")
ANSWER = {
    "claims": [
        {"text": "Open **Settings** {really}.", "passage_ids": [STEPS.id]},
        {"text": "Füge den A-Eintrag hinzu. 😀", "passage_ids": ["2"]},
    ],
    "answered": "fully",
}


class CollectedClaims:
    """Claims with the time each was heard, and the words heard before each."""

    def __init__(self) -> None:
        self.claims: list[Claim] = []
        self.at: list[float] = []
        self.drafts: list[tuple[int, str]] = []
        """The number of claims that stood, and the words."""

    async def write(self, claim: Claim) -> None:
        self.claims.append(claim)
        self.at.append(time.monotonic())

    async def words(self, text: str) -> None:
        self.drafts.append((len(self.claims), text))


async def test_a_claim_is_heard_as_soon_as_it_has_ended(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(Streams(ANSWER, gap_s=0.05))
    collected = CollectedClaims()

    async with connected(llm_provider) as model:
        reply = await model.ask(PROMPT, CitedAnswer, ClaimReader((STEPS, RECORDS), collected))
    finished = time.monotonic()

    assert llm_provider.requests[0].body["stream"] is True
    assert [claim.passage_ids for claim in collected.claims] == [(STEPS.id,), (RECORDS.id,)]
    assert [claim.text for claim in collected.claims] == [claim.text for claim in reply.output.claims]
    assert finished - collected.at[0] > 0.15
    assert reply.usage.input_tokens == 100


@pytest.mark.parametrize("token_chars", [1, 3, 7, 1000])
async def test_claims_do_not_depend_on_how_the_text_is_cut(llm_provider: ScriptedOpenAI, token_chars: int) -> None:
    llm_provider.script(Streams(ANSWER, token_chars=token_chars))
    collected = CollectedClaims()

    async with connected(llm_provider) as model:
        await model.ask(PROMPT, CitedAnswer, ClaimReader((STEPS, RECORDS), collected))

    assert [claim.text for claim in collected.claims] == [claim["text"] for claim in ANSWER["claims"]]  # type: ignore[index]


async def test_the_words_of_a_claim_are_heard_before_its_end(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(Streams(ANSWER, token_chars=3))
    collected = CollectedClaims()

    async with connected(llm_provider) as model:
        await model.ask(PROMPT, CitedAnswer, ClaimReader((STEPS, RECORDS), collected))

    for number, claim in enumerate(collected.claims):
        heard = [text for standing, text in collected.drafts if standing == number and text]
        assert len(heard) > 3
        assert all(claim.text.startswith(text) for text in heard)


async def test_words_never_hold_a_link_a_tag_or_a_promise_to_act() -> None:
    collected = CollectedClaims()
    claim = "See [our page](https://evil.example/x) and <img src=x> or http://evil.example/y now. I have refunded you."
    text = json.dumps({"claims": [{"text": claim, "passage_ids": []}]})

    for end in range(len(text)):
        await ClaimReader((STEPS,), collected)(text[:end])

    drafts = [draft for _, draft in collected.drafts]
    assert "See our page and or" in drafts
    assert not [
        draft for draft in drafts if "evil" in draft or "<" in draft or "](" in draft or "refunded you." in draft
    ]


async def test_the_words_of_a_serious_reply_are_heard_in_its_order() -> None:
    collected = CollectedClaims()
    reply = {
        "acknowledgement": "You want to cancel your plan.",
        "context": [{"text": "A plan ends with its month.", "passage_ids": []}],
        "offer_id": None,
    }
    text = json.dumps(reply)

    for end in range(len(text)):
        await ReplyReader(collected, "en")(text[:end])

    assert collected.drafts[-1][1] == "You want to cancel your plan.\n\nA plan ends with its month."
    assert collected.claims == []


@pytest.mark.parametrize("text", ["", "{", "[1, 2", '{"claims": "x"}', '{"claims": [{"text": 1}]}', "not json }"])
async def test_text_that_is_no_answer_is_not_heard(text: str) -> None:
    collected = CollectedClaims()

    await ClaimReader((STEPS,), collected)(text)

    assert collected.claims == []


async def test_a_stream_that_falls_silent_is_given_up(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(Streams(ANSWER, stalls_after=3))
    start = time.monotonic()

    async with connected(llm_provider, stall_s=1.0, retries=0) as model:
        with pytest.raises(Stalled):
            await model.ask(PROMPT, CitedAnswer, ClaimReader((STEPS,), CollectedClaims()))

    assert time.monotonic() - start < 30


async def test_failures_before_the_first_token_are_tried_again(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(Fails(503), Fails(429), Streams(ANSWER))
    collected = CollectedClaims()

    async with connected(llm_provider) as model:
        await model.ask(PROMPT, CitedAnswer, ClaimReader((STEPS, RECORDS), collected))

    assert len(llm_provider.requests) == 3
    assert len(collected.claims) == 2


async def test_a_stream_that_breaks_off_is_not_repeated(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(Streams(ANSWER, breaks_after=9))

    async with connected(llm_provider) as model:
        with pytest.raises(RetryableError):
            await model.ask(PROMPT, CitedAnswer, ClaimReader((STEPS, RECORDS), CollectedClaims()))

    assert len(llm_provider.requests) == 1


async def test_a_correction_is_not_heard_twice(llm_provider: ScriptedOpenAI) -> None:
    wrong: dict[str, Any] = {**ANSWER, "answered": "perhaps"}
    llm_provider.script(Streams(wrong), Says(ANSWER))
    collected = CollectedClaims()

    async with connected(llm_provider) as model:
        reply = await model.ask(PROMPT, CitedAnswer, ClaimReader((STEPS, RECORDS), collected))

    assert len(collected.claims) == 2
    assert reply.output.answered == "fully"
