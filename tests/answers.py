"""Questions, passages and models for tests of the stages that ask a language model."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

import numpy as np

from handrail.llm import LanguageModel
from handrail.llm.abilities import Known
from handrail.llm.chat import connect_chat
from handrail.llm.prompts import LocalPrompts, PromptLibrary
from handrail.settings import Brand, Llm
from handrail.turn.wording import load_wording
from handrail.types import Evidence, Hit, Passage, Probe, Question, Vectors
from tests.scripted_openai import ScriptedOpenAI

BRAND = Brand(name="Acme", covers="Plans, billing and domains.")
WORDING = load_wording(BRAND.name)
PROMPTS = PromptLibrary(LocalPrompts())
PROBE = Probe(np.zeros(4, dtype=np.float32))


def question(text: str, *, lang: str = "en", suspicious: bool = False) -> Question:
    return Question(text, "conversation", "turn", lang=lang, suspicious=suspicious)


def evidence(texts: Mapping[str, str]) -> Evidence:
    """Passages by id, best first."""
    hits = [
        Hit(Passage(id_, id_.partition("/")[0], 1, id_.title(), (), text, f"https://help.example/{id_}", 10), final=0.9)
        for id_, text in texts.items()
    ]
    return Evidence("query", hits)


async def alike(texts: Sequence[str]) -> Sequence[Vectors]:
    """An embedder to which all texts are the same."""
    return [np.array([1.0, 0.0], dtype=np.float32)] * len(texts)


async def apart(texts: Sequence[str]) -> Sequence[Vectors]:
    """An embedder to which the first text is about something else than the others."""
    first, others = np.array([1.0, 0.0], dtype=np.float32), np.array([0.3, 0.95], dtype=np.float32)
    return [first, *[others] * (len(texts) - 1)]


@asynccontextmanager
async def model_at(provider: ScriptedOpenAI, *, timeout_s: float = 5.0) -> AsyncIterator[LanguageModel]:
    """The model of a scripted provider, without retries."""
    settings = Llm(
        base_url=provider.url,
        model="scripted",
        retries=0,
        timeout_s=timeout_s,
        usd_per_million_input=1.0,
        usd_per_million_output=10.0,
    )
    models = connect_chat(settings, known=Known())
    try:
        yield models.answering
    finally:
        await models.aclose()
