"""Follow-ups made standalone by a language model, where the local reader does not rule them out."""

from __future__ import annotations

from dataclasses import replace

from pydantic import BaseModel

from handrail.converse import cues
from handrail.converse.dependence import content_words
from handrail.converse.local import ALONE, LocalReader, asked_last, grounded_last
from handrail.converse.rewrite import acceptable
from handrail.llm import LanguageModel
from handrail.prompts import PromptLibrary
from handrail.settings import Brand
from handrail.types import Probe, Question, Reading

WORTH_ASKING = 0.1
"""Probability of needing the past, by the local reader, under which the model is not asked."""
EXCHANGES = 4
"""Latest exchanges that the model is shown."""


class StandaloneQuestion(BaseModel):
    """Whether the message needs the conversation, and the question it comes to."""

    depends: bool
    question: str


class LlmReader:
    """A Reader. A message that the local reader finds complete costs nothing and is left exactly as it is."""

    def __init__(self, model: LanguageModel, prompts: PromptLibrary, brand: Brand, local: LocalReader) -> None:
        self._model = model
        self._prompts = prompts
        self._brand = brand
        self._local = local

    async def read(self, question: Question, probe: Probe) -> Reading:
        reading, needs = await self._local.judge(question, probe)
        if needs < WORTH_ASKING or reading.kind in ("choice", "complaint"):
            return reading
        prompt = self._prompts.render(
            "standalone",
            brand=self._brand.name,
            covers=self._brand.covers,
            history=list(question.history[-EXCHANGES:]),
            message=question.text,
        )
        written = (await self._model.ask(prompt, StandaloneQuestion)).output
        text = " ".join(written.question.split())
        if not written.depends:
            return reading if not reading.depends else Reading(question.text)
        if not acceptable(text, question.text):
            return reading
        return self._followed(text, question, reading)

    def _followed(self, text: str, question: Question, reading: Reading) -> Reading:
        """The model's wording leads; the visitor's own is searched for beside it."""
        own = cues.lead_removed(question.text)
        beside = {own: ALONE} if content_words(own) and own != text else {}
        if reading.depends:
            return replace(reading, text=text, beside=beside)
        last, grounded = asked_last(question.history), grounded_last(question.history)
        favoured = grounded.article_ids[:2] if grounded is not None and grounded is last else ()
        return Reading(text, "follow_up", beside, tuple(favoured))
