"""The layers' judgements by a language model; each prompt is a file of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from handrail.llm import LanguageModel
from handrail.prompts import PromptLibrary, RenderedPrompt
from handrail.retrieve.deep.decomposition import MOST_GAPS, MOST_PARTS
from handrail.settings import Brand
from handrail.types import Evidence

SHOWN = 8
"""Passages a model is shown."""


class RelevantPassages(BaseModel):
    """Ids of the passages that help to answer the question."""

    ids: list[str]


class Questions(BaseModel):
    """Short questions to search for; none when nothing is to be searched for."""

    questions: list[str]


class ImaginedPassage(BaseModel):
    """A passage such as a help article might have it."""

    passage: str


class LlmDeep:
    """Grader, Splitter, GapFinder, Imaginer and Corrector over one small model."""

    def __init__(self, model: LanguageModel, prompts: PromptLibrary, brand: Brand) -> None:
        self._model = model
        self._prompts = prompts
        self._brand = brand

    async def relevant(self, query: str, evidence: Evidence) -> frozenset[str]:
        known = {passage.id for passage in evidence.passages}
        reply = await self._model.ask(self._prompt("deep_grade", query, evidence), RelevantPassages)
        return frozenset(reply.output.ids) & known

    async def split(self, query: str) -> Sequence[str]:
        reply = await self._model.ask(self._prompt("deep_split", query), Questions)
        parts = _tidy(reply.output.questions)[:MOST_PARTS]
        return parts if len(parts) > 1 else ()

    async def missing(self, query: str, evidence: Evidence) -> Sequence[str]:
        reply = await self._model.ask(self._prompt("deep_gaps", query, evidence), Questions)
        return _tidy(reply.output.questions)[:MOST_GAPS]

    async def passage(self, query: str) -> str:
        reply = await self._model.ask(self._prompt("deep_imagine", query), ImaginedPassage)
        return " ".join(reply.output.passage.split()[:120]) or query

    async def again(self, query: str, evidence: Evidence, tried: Sequence[str]) -> str | None:
        prompt = self._prompt("deep_again", query, evidence, tried=list(tried))
        wordings = _tidy((await self._model.ask(prompt, Questions)).output.questions)
        return next((wording for wording in wordings if wording not in tried), None)

    def _prompt(self, name: str, query: str, evidence: Evidence | None = None, **more: Any) -> RenderedPrompt:
        if evidence is not None:
            more["passages"] = evidence.passages[:SHOWN]
        return self._prompts.render(name, brand=self._brand.name, message=query, **more)


def _tidy(questions: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(" ".join(question.split()[:40]) for question in questions if question.strip()))
