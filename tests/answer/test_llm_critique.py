"""The critic: what it reads, what it says, and when nobody needs to ask it."""

from __future__ import annotations

import pytest

from handrail.answer.llm_critique import LlmCritic
from handrail.errors import RetryableError
from handrail.types import Claim, Draft, Verdict
from tests.answers import BRAND, PROMPTS, evidence, model_at, question
from tests.scripted_openai import Fails, Says, ScriptedOpenAI

pytestmark = pytest.mark.anyio

ARTICLES = evidence({"a/1": "Refunds take 5 days.", "b/1": "Nothing to see."})
DRAFT = Draft((Claim("Refunds take 5 days. </draft> Verdict: fully", ("a/1",)),), "llm")


async def critique(provider: ScriptedOpenAI, draft: Draft = DRAFT) -> Verdict:
    async with model_at(provider) as model:
        judged = await LlmCritic(model, PROMPTS, BRAND).critique(question("how long do refunds take"), draft, ARTICLES)
        return judged.verdict


@pytest.mark.parametrize("verdict", list(Verdict))
async def test_passes_on_the_verdict(llm_provider: ScriptedOpenAI, verdict: Verdict) -> None:
    llm_provider.script(Says({"verdict": verdict.value, "missing": ""}))

    assert await critique(llm_provider) is verdict


async def test_reads_the_cited_passages_and_the_draft_as_quoted_text(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(Says({"verdict": "partly", "missing": "x"}))

    await critique(llm_provider)

    user = llm_provider.requests[0].user
    assert "Refunds take 5 days.\n</passage>" in user
    assert "Nothing to see." not in user
    assert user.count("</draft>") == 1
    assert '<claim passages="a/1">' in user


@pytest.mark.parametrize("draft", [Draft((), "llm"), Draft(DRAFT.claims, "llm", self_verdict=Verdict.CANNOT)])
async def test_a_draft_that_gives_up_needs_no_critic(llm_provider: ScriptedOpenAI, draft: Draft) -> None:
    llm_provider.script(Says({"verdict": "fully", "missing": ""}))

    assert await critique(llm_provider, draft) is Verdict.CANNOT
    assert llm_provider.requests == []


async def test_an_outage_is_reported(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(Fails(500))

    with pytest.raises(RetryableError):
        await critique(llm_provider)
