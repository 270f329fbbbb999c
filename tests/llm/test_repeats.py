"""A model that is caught in a loop is given up as soon as that can be told, and another one is asked."""

from __future__ import annotations

import json
import random

import pytest

from handrail.answer.llm import CitedAnswer
from handrail.llm.kinds import Failure, Stalled
from handrail.llm.prompts import RenderedPrompt
from handrail.llm.repeats import LEAST, LONGEST, TIMES, Repeats
from tests.llm.test_llm_chat import connected
from tests.scripted_openai import Quotes, ScriptedOpenAI, Streams, scripted_openai
from tests.stages import STEPS

PROMPT = RenderedPrompt(
    "answer", "You answer.", f'<passage number="1" id="{STEPS.id}" title="t">\nOpen it.\n</passage>', "1", "0" * 12,
    "local",
)  # fmt: skip
LETTERS = "abcdefghij klmnop"


def noise(length: int) -> str:
    return "".join(random.Random(length).choices(LETTERS, k=length))  # noqa: S311 - no secret


def read(text: str, piece: int) -> int | None:
    """After how many characters a loop was found."""
    repeats = Repeats()
    for at in range(0, len(text), piece):
        if repeats.found(text[at : at + piece]):
            return at + piece
    return None


@pytest.mark.parametrize("length", [1, 2, 7, 40, 79, 80, 81, 200, LONGEST])
@pytest.mark.parametrize("piece", [1, 3, 17, 100])
def test_a_loop_of_any_length_is_found_after_its_third_round(length: int, piece: int) -> None:
    words = noise(length)
    before = "Open **Settings** and choose **Domains**, then wait for a day. "

    found = read(before + words * 2000, piece)

    assert found is not None
    assert found <= len(before) + max(LEAST, TIMES * length) + length + piece


@pytest.mark.parametrize("piece", [1, 9, 500])
@pytest.mark.parametrize(
    "text",
    [
        noise(20_000),
        "\n".join(f"{n}. Open **Settings**, choose **Domains** and add the record number {n}." for n in range(200)),
        "| plan | seats |\n" + "|---" * 20 + "|\n" + "".join(f"| Plan {n} | yes | yes | no |\n" for n in range(60)),
        json.dumps([{"text": f"Claim {n} of the answer.", "passage_ids": ["a/1"]} for n in range(100)], indent=8),
        "No. No. No. " + "-" * 200 + " " * 100,
        "Press it again. " * 10,
    ],
    ids=["noise", "steps", "table", "json", "rules", "short"],
)
def test_what_only_looks_alike_is_none(text: str, piece: int) -> None:
    assert read(text, piece) is None


LOOPS = {
    "words": '"text": "' + "You can open it in the settings of your account. " * 400,
    "claims": f'"text": "Open it.", "passage_ids": ["{STEPS.id}"]}}, {{' * 400,
    "blanks": "\n  " * 4000,
}


@pytest.mark.anyio
@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
async def test_a_model_in_a_loop_is_given_up_long_before_its_limit(llm_provider: ScriptedOpenAI, loop: str) -> None:
    llm_provider.script(Streams('{"claims": [{' + loop, token_chars=5))
    heard: list[str] = []

    async def listen(text: str) -> None:
        heard.append(text)

    async with connected(llm_provider, max_output_tokens=8000, retries=0) as model:
        with pytest.raises(Stalled, match="repeats itself") as raised:
            await model.ask(PROMPT, CitedAnswer, listen)

    assert raised.value.reason == Failure.ENDLESS
    assert len(heard[-1]) < 600


@pytest.mark.anyio
async def test_another_provider_answers_in_its_place(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(Streams('{"claims": [{' + LOOPS["words"], token_chars=5))
    with scripted_openai() as spare:
        spare.script(Quotes(first_s=0.0, gap_s=0.0))
        fallback = {"name": "spare", "base_url": spare.url, "model": "m-2"}

        async def listen(text: str) -> None:
            return

        async with connected(llm_provider, fallbacks=[fallback], retries=0) as model:
            reply = await model.ask(PROMPT, CitedAnswer, listen)

    assert reply.provider == "spare"
    assert [claim.text for claim in reply.output.claims] == ["Open it."]
