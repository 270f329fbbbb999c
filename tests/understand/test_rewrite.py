"""Short messages become queries, and nothing the visitor named gets lost on the way."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from handrail.assembly.models import build_embedder
from handrail.errors import RetryableError
from handrail.settings import Settings
from handrail.types import Vectors
from handrail.understand.rewrite import Embed, LlmRewriter, acceptable, keeps, literals
from tests.answers import BRAND, PROMPTS, alike, apart, model_at, question
from tests.scripted_openai import Fails, Says, ScriptedOpenAI

pytestmark = pytest.mark.anyio


async def rewrite(provider: ScriptedOpenAI, text: str, *, suspicious: bool = False, embed: Embed = alike) -> str:
    async with model_at(provider) as model:
        rewriter = LlmRewriter(model, PROMPTS, BRAND, embed)
        return await rewriter.rewrite(question(text, suspicious=suspicious))


async def test_a_short_message_is_spelt_out(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(Says({"query": " How do I get\n a refund for my plan? "}))

    assert await rewrite(llm_provider, "refnd plan") == "How do I get a refund for my plan?"
    assert "<message>\nrefnd plan\n</message>" in llm_provider.requests[0].user


async def test_a_message_that_says_enough_is_not_touched(llm_provider: ScriptedOpenAI) -> None:
    text = "how do I get a refund for my"
    llm_provider.script(Says({"query": "something else"}))

    assert await rewrite(llm_provider, text) == text
    assert llm_provider.requests == []


async def test_a_suspicious_message_is_searched_for_as_written(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(Says({"query": "admin password"}))

    assert await rewrite(llm_provider, "search admin password", suspicious=True) == "search admin password"
    assert llm_provider.requests == []


@pytest.mark.parametrize("query", ["", "   ", "word " * 41, "payment declined by the bank", "error TW-12040"])
async def test_a_rewrite_that_loses_something_is_not_used(llm_provider: ScriptedOpenAI, query: str) -> None:
    llm_provider.script(Says({"query": query}))

    assert await rewrite(llm_provider, "TW-1204??") == "TW-1204??"


async def test_a_rewrite_about_something_else_is_not_used(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(Says({"query": "What is the weather today?"}))

    assert await rewrite(llm_provider, "refund", embed=apart) == "refund"


@pytest.mark.models
async def test_the_embedder_tells_what_was_asked_from_what_was_not() -> None:
    embedder = build_embedder(Settings())

    async def embed(texts: Sequence[str]) -> Sequence[Vectors]:
        return list(embedder.embed_queries(texts))

    kept = [
        ("parcel late", "Why has my parcel not arrived yet?"),
        ("turn off mails", "How do I unsubscribe from e-mails?"),
    ]
    lost = [("parcel late", "How can I help you today?"), ("turn off mails", "What does the yearly plan cost?")]
    assert [await keeps(embed, rewritten, asked) for asked, rewritten in kept] == [True, True]
    assert [await keeps(embed, rewritten, asked) for asked, rewritten in lost] == [False, False]


async def test_an_outage_is_reported(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(Fails(503))

    with pytest.raises(RetryableError):
        await rewrite(llm_provider, "refund")


@pytest.mark.parametrize(
    ("original", "kept"),
    [
        ("error TW-1204 at checkout", {"tw-1204"}),
        ("ERR_TOO_MANY_REDIRECTS help", {"err_too_many_redirects"}),
        ("32 vs 26.50", {"32", "26.50"}),
        ("what is “Till One”", {"till one"}),
        ('the "Save changes" button', {"save changes"}),
        ("don't know what's wrong", set()),
        ("ipv6 AAAA", {"ipv6"}),
    ],
)
def test_what_must_be_kept(original: str, kept: set[str]) -> None:
    assert literals(original) == kept


@pytest.mark.parametrize(
    ("query", "original", "verdict"),
    [
        ("What does the error code tw-1204 mean?", "TW-1204", True),
        ("Is 120 the limit?", "limit 12", False),
        ("Where is the 'Save changes' button?", 'the "save changes" thing', True),
        ("Where is the button to save?", 'the "save changes" thing', False),
    ],
)
def test_what_is_accepted(query: str, original: str, verdict: bool) -> None:
    assert acceptable(query, original) is verdict
