"""OpenAI's own service, streamed: only where a key is in the environment."""

from __future__ import annotations

import os

import pytest
from pydantic import SecretStr

from handrail.answer.llm import CitedAnswer, ClaimReader
from handrail.llm.chat import connect_chat
from handrail.llm.prompts import RenderedPrompt
from handrail.settings import Llm
from tests.llm.test_llm_streaming import CollectedClaims
from tests.stages import STEPS

KEY = os.environ.get("OPENAI_API_KEY")
pytestmark = [
    pytest.mark.anyio,
    pytest.mark.llm,
    pytest.mark.skipif(not KEY, reason="OPENAI_API_KEY is not set: OpenAI itself is not asked"),
]


async def test_claims_are_heard_while_openai_writes_them() -> None:
    settings = Llm(api_key=SecretStr(KEY or ""), base_url=os.environ.get("OPENAI_BASE_URL"))
    asked = f'<passage number="1" id="{STEPS.id}">\n{STEPS.text}\n</passage>\n\nHow do I connect a domain?'
    prompt = RenderedPrompt("answer", "Answer from the passages, claim by claim, citing ids.", asked, "1", "0", "local")
    models, collected = connect_chat(settings), CollectedClaims()
    try:
        reply = await models.answering.ask(prompt, CitedAnswer, ClaimReader((STEPS,), collected))
    finally:
        await models.aclose()

    assert [claim.text for claim in collected.claims] == [claim.text for claim in reply.output.claims]
    assert reply.usage.output_tokens > 0
