"""Classification by a language model, told what the company covers and which articles are nearest."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pydantic import BaseModel, field_validator

from handrail.llm import LanguageModel
from handrail.llm.prompts import PromptLibrary
from handrail.settings import Brand
from handrail.types import Classification, Label, Probe, Question

NearestTitles = Callable[[Probe], Sequence[str]]
"""Titles of the articles nearest to a probed message, best first; found without a search."""


class ClassifiedMessage(BaseModel):
    """The one label that fits the message."""

    label: Label
    confidence: float
    reason: str

    @field_validator("confidence")
    @classmethod
    def _within_bounds(cls, value: float) -> float:
        # Not a schema constraint: few servers can enforce one on numbers, and a wrong value is no reason to pay again.
        return min(1.0, max(0.0, value))


class LlmClassifier:
    """A Classifier. Its probability is the model's own confidence, which is not calibrated."""

    def __init__(
        self, model: LanguageModel, prompts: PromptLibrary, brand: Brand, nearest_titles: NearestTitles | None = None
    ) -> None:
        self._model = model
        self._prompts = prompts
        self._brand = brand
        self._nearest_titles = nearest_titles

    async def classify(self, question: Question, probe: Probe) -> Classification:
        prompt = self._prompts.render(
            "classify",
            brand=self._brand.name,
            covers=self._brand.covers,
            titles=list(self._nearest_titles(probe)) if self._nearest_titles else [],
            message=question.text,
        )
        reply = await self._model.ask(prompt, ClassifiedMessage)
        return Classification(reply.output.label, reply.output.confidence, "llm")
