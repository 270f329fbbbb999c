"""Long messages read by a language model as the questions they ask, each of which is looked up for itself."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from pydantic import BaseModel, Field

from handrail.llm import LanguageModel
from handrail.llm.prompts import PromptLibrary
from handrail.settings import Brand
from handrail.text.markdown import sentences
from handrail.types import Question, Request, Understanding
from handrail.understand import Understand
from handrail.understand.cut import pieces
from handrail.understand.rewrite import Embed, acceptable, keeps

LONG = 30
"""Words from which a message may tell a case that several articles are needed for."""
MOST = 5


class Questions(BaseModel):
    """What the articles have to answer for the message."""

    questions: list[str] = Field(max_length=12)


class DecomposedUnderstanding:
    """An Understand. Messages of fewer than 30 words, and suspicious ones, cost nothing and are left as they are.

    A question that the message doesn't ask in any of its sentences is dropped.
    """

    def __init__(
        self, inner: Understand, model: LanguageModel, prompts: PromptLibrary, brand: Brand, embed: Embed
    ) -> None:
        self._inner = inner
        self._model = model
        self._prompts = prompts
        self._brand = brand
        self._embed = embed

    async def read(self, question: Question) -> Understanding:
        understood = await self._inner.read(question)
        if question.suspicious or understood.crisis or len(question.text.split()) < LONG:
            return understood
        prompt = self._prompts.render(
            "decompose", brand=self._brand.name, covers=self._brand.covers, message=question.text
        )
        asked = (await self._model.ask(prompt, Questions)).output.questions
        kept = await self._kept(question, asked)
        if len(kept) < 2:
            return understood
        return replace(understood, requests=[await self._request(question, text) for text in kept])

    async def _kept(self, question: Question, asked: Sequence[str]) -> Sequence[str]:
        """Those of the first five that mean something that the message says."""
        written = dict.fromkeys(" ".join(text.split()) for text in asked)
        texts = [text for text in written if acceptable(text, "")][:MOST]
        said = dict.fromkeys(
            (*pieces(question.text, question.unspoken or question.lang), *sentences(question.text, question.lang))
        )
        meant = await asyncio.gather(*(keeps(self._embed, text, *said) for text in texts))
        return [text for text, held in zip(texts, meant, strict=True) if held]

    async def _request(self, question: Question, text: str) -> Request:
        """Understood for itself: the model has put into it what it needs of the message."""
        return (await self._inner.read(replace(question, text=text, history=()))).whole
