"""The cascade: a second opinion only where the first is unsure, and never at the price of an answer."""

from __future__ import annotations

import pytest

from handrail.types import Classification, Label, Probe, Question
from handrail.understand.classify.cascade import CascadeClassifier
from handrail.understand.classify.llm import LlmClassifier
from tests.answers import BRAND, PROBE, PROMPTS, model_at, question
from tests.scripted_openai import Fails, Hangs, Refuses, Says, ScriptedOpenAI, Step

pytestmark = pytest.mark.anyio

HIGH_STAKES = Says({"label": "high_stakes", "confidence": 0.9, "reason": "wants to leave"})


class Sure:
    """A local classifier with one answer."""

    def __init__(self, probability: float) -> None:
        self.answer = Classification(
            Label.ANSWERABLE, probability, "local", {Label.ANSWERABLE: probability, Label.HIGH_STAKES: 1 - probability}
        )

    async def classify(self, question: Question, probe: Probe) -> Classification:
        return self.answer


async def classify(provider: ScriptedOpenAI, local: Sure, timeout_s: float = 5.0) -> Classification:
    async with model_at(provider, timeout_s=timeout_s) as model:
        second = LlmClassifier(model, PROMPTS, BRAND)
        return await CascadeClassifier(local, second, unsure_below=0.6).classify(question("I am off"), PROBE)


@pytest.mark.parametrize("probability", [0.6, 0.95])
async def test_a_sure_local_answer_costs_no_call(llm_provider: ScriptedOpenAI, probability: float) -> None:
    llm_provider.script(HIGH_STAKES)
    local = Sure(probability)

    assert await classify(llm_provider, local) is local.answer
    assert llm_provider.requests == []


async def test_an_unsure_local_answer_is_overruled(llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(HIGH_STAKES)
    local = Sure(0.59)

    result = await classify(llm_provider, local)

    assert (result.label, result.by) == (Label.HIGH_STAKES, "llm")
    assert result.probabilities == local.answer.probabilities


@pytest.mark.parametrize("trouble", [Fails(500), Fails(401), Refuses(), Says("?"), Hangs(5)])
async def test_whatever_happens_to_the_llm_the_local_answer_stands(llm_provider: ScriptedOpenAI, trouble: Step) -> None:
    llm_provider.script(trouble)
    local = Sure(0.3)

    assert await classify(llm_provider, local, timeout_s=0.5) is local.answer
    assert llm_provider.requests
