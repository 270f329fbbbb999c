"""A language model as the one who checks that an answer keeps the operator's rules."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel

from handrail.llm import LanguageModel
from handrail.llm.prompts import PromptLibrary
from handrail.settings import Brand
from handrail.types import Question


class Broken(BaseModel):
    """Numbers of the rules that the reply goes against."""

    rules: list[int]


class LlmGuidanceCheck:
    """A Check: one more call for each answer."""

    def __init__(self, model: LanguageModel, prompts: PromptLibrary, brand: Brand) -> None:
        self._model = model
        self._prompts = prompts
        self._brand = brand

    async def __call__(self, question: Question, reply: str, rules: Sequence[str]) -> float:
        """1 where it names a rule there is. Raises what the model raises."""
        prompt = self._prompts.render(
            "guidance", brand=self._brand.name, rules=rules, message=question.text, reply=reply
        )
        found = await self._model.ask(prompt, Broken)
        return float(any(1 <= number <= len(rules) for number in found.output.rules))
