"""Layers of deep retrieval: what each adds, and that none of them can make a turn fail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from handrail.retrieve.deep.cache import SemanticCache, exact_terms, names_in
from handrail.retrieve.deep.correction import CorrectingRetriever, PlainWords
from handrail.retrieve.deep.decomposition import DecomposingRetriever, LocalSplitter
from handrail.retrieve.deep.grading import CrossEncoderGrader, GradingRetriever
from handrail.retrieve.deep.hyde import HydeRetriever
from handrail.retrieve.deep.llm import LlmDeep
from handrail.types import Evidence, Hit, Probe, Reading
from tests.answers import BRAND, PROMPTS, model_at
from tests.scripted_openai import Fails, Says, ScriptedOpenAI
from tests.stages import RECORDS, STEPS

pytestmark = pytest.mark.anyio

GOOD, BAD = Hit(STEPS, rerank=6.0, fused=0.9, final=0.9), Hit(RECORDS, rerank=-9.0, fused=0.5, final=0.5)


@dataclass
class Searches:
    """A retriever and ranker over two passages; `angles` turns a query into a direction."""

    angles: Mapping[str, float] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    readings: list[Reading | None] = field(default_factory=list)

    async def probe(self, text: str) -> Probe:
        angle = self.angles.get(text, 0.0)
        return Probe(np.array([np.cos(angle), np.sin(angle)], dtype=np.float32))

    async def retrieve(
        self, query: str, filters: Mapping[str, str], probe: Probe | None = None, reading: Reading | None = None
    ) -> Evidence:
        self.asked.append(query)
        self.readings.append(reading)
        return Evidence(query, (BAD,) if "weak" in query else (GOOD, BAD))

    async def ranked(self, query: str, hits: Sequence[Hit]) -> Evidence:
        return Evidence(query, tuple(hits))


def ids(evidence: Evidence) -> list[str]:
    return [hit.passage.id for hit in evidence.hits]


async def test_grading_takes_out_what_does_not_help_but_never_everything() -> None:
    grading = GradingRetriever(Searches(), CrossEncoderGrader(0.25))

    assert ids(await grading.retrieve("domain", {})) == [STEPS.id]
    assert ids(await grading.retrieve("weak", {})) == [RECORDS.id]


async def test_weak_evidence_is_looked_for_again_and_then_given_up() -> None:
    searches = Searches()

    def score(evidence: Evidence) -> float:
        return 0.9 if STEPS.id in ids(evidence) else 0.1

    class Again(PlainWords):
        async def again(self, query: str, evidence: Evidence, tried: Sequence[str]) -> str | None:
            return f"weak {len(tried)}" if "never" in query else "domain"

    correcting = CorrectingRetriever(searches, Again(), score, 0.5, rounds=2)
    found, given_up = await correcting.retrieve("weak", {}), await correcting.retrieve("weak never", {})

    assert (ids(found)[0], found.exhausted) == (STEPS.id, False)
    assert given_up.exhausted
    assert searches.asked == ["weak", "domain", "weak never", "weak 1", "weak 2"]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("How do I add a domain and how do I cancel my plan?", ["How do I add a domain", "how do I cancel my plan"]),
        ("Do you take PayPal? When are payouts made?", ["Do you take PayPal", "When are payouts made"]),
        ("How do I connect terms and conditions?", []),
        ("Why?", []),
    ],
)
async def test_a_message_is_split_where_another_question_begins(text: str, parts: list[str]) -> None:
    assert list(await LocalSplitter().split(text)) == parts


async def test_parts_are_searched_for_and_ranked_together() -> None:
    searches = Searches()
    question = "weak domain offers and how do I add DNS records?"

    found = await DecomposingRetriever(searches, searches, LocalSplitter(), None).retrieve(question, {})

    assert searches.asked == [question, "weak domain offers", "how do I add DNS records"]
    assert found.query == question
    assert set(ids(found)) == {STEPS.id, RECORDS.id}


def cached(searches: Searches, generation: list[str]) -> SemanticCache:
    names = names_in(["Connect PayPal"])
    return SemanticCache(searches, searches, names, lambda: generation[0], full=0.9, partial=0.7, most=2)


async def test_the_cache_reuses_by_likeness_and_forgets_with_the_generation() -> None:
    searches, generation = Searches({"same": 0.1, "near": 0.7, "far": 1.5}), ["1"]
    cache = cached(searches, generation)

    for text in ("first", "same", "near", "far"):
        await cache.retrieve(text, {})
    generation[0] = "2"
    await cache.retrieve("same", {})

    assert searches.asked == ["first", "near", "far", "same"]
    assert cache.reused == {"full": 1, "partial": 1, "none": 3}
    assert len(cache) == 1


async def test_the_cache_is_bypassed_where_exact_terms_filters_or_a_conversation_differ() -> None:
    searches = Searches()
    cache = cached(searches, ["1"])

    for text in ("error TW-3001", "error TW-3007", "pay with PayPal", "pay", "do not pay"):
        await cache.retrieve(text, {})
    await cache.retrieve("pay", {"section": "billing"})
    await cache.retrieve("pay", {}, None, Reading("pay", "follow_up"))

    assert len(searches.asked) == 7
    assert len(cache) == 2


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("Pay 30 EUR", {"30", "eur"}),
        ("what does ERR_SSL mean?", {"err_ssl"}),
        ("ENOENT on start", {"enoent"}),
        ("HELP ME PLEASE", set()),
        ("HELP TW-3001", {"tw-3001"}),
        ("why can I pay", set()),
        ("why can't I pay", {"can't"}),
        ("warum kann ich nicht zahlen", {"nicht"}),
        ("почему не приходит код", {"не"}),
    ],
)
def test_numbers_codes_and_negations_make_another_question(query: str, terms: set[str]) -> None:
    assert exact_terms(query, frozenset()) == terms


async def test_a_model_judges_splits_imagines_and_rewords(llm_provider: ScriptedOpenAI) -> None:
    evidence = Evidence("q", (GOOD, BAD))
    async with model_at(llm_provider) as model:
        deep = LlmDeep(model, PROMPTS, BRAND)
        llm_provider.script(Says({"ids": [STEPS.id, "made/up"]}))
        assert await deep.relevant("q", evidence) == {STEPS.id}
        llm_provider.script(Says({"questions": ["a", "b", "c", "d"]}))
        assert await deep.split("q") == ["a", "b", "c"]
        assert await deep.missing("q", evidence) == ["a", "b"]
        assert await deep.again("q", evidence, ["q", "a"]) == "b"
        llm_provider.script(Says({"passage": "Open Settings."}))
        searches = Searches()
        await HydeRetriever(searches, deep).retrieve("q", {})
    [reading] = searches.readings
    assert reading is not None and dict(reading.beside) == {"Open Settings.": 1.0}


async def test_without_its_provider_each_layer_is_the_plain_retriever(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(Fails(503))
    async with model_at(llm_provider) as model:
        deep, searches = LlmDeep(model, PROMPTS, BRAND), Searches()
        layers = (
            GradingRetriever(searches, deep),
            HydeRetriever(searches, deep),
            DecomposingRetriever(searches, searches, deep, deep),
            CorrectingRetriever(searches, deep, lambda evidence: 0.1, 0.5, 1),
        )
        found = [replace(await layer.retrieve("q", {}), exhausted=False) for layer in layers]

    assert found == [Evidence("q", (GOOD, BAD))] * 4
