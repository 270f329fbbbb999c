"""Follow-ups made standalone by a language model, where the local heads do not rule out that they are some."""

from __future__ import annotations

from dataclasses import replace

from pydantic import BaseModel

from handrail.llm import LanguageModel
from handrail.llm.prompts import PromptLibrary
from handrail.settings import Brand
from handrail.types import Question, Request, Sense, Understanding, Wordings
from handrail.understand import Understand
from handrail.understand.history import ALONE
from handrail.understand.rewrite import Embed, acceptable, keeps

EXCHANGES = 4
"""Latest exchanges that the model is shown."""


class StandaloneQuestion(BaseModel):
    """Whether the message needs the conversation, and the question it comes to."""

    depends: bool
    question: str


class RewrittenUnderstanding:
    """An Understand. A message that the local one finds complete costs nothing and is left exactly as it is."""

    def __init__(
        self, local: Understand, model: LanguageModel, prompts: PromptLibrary, brand: Brand, embed: Embed
    ) -> None:
        self._embed = embed
        self._local = local
        self._model = model
        self._prompts = prompts
        self._brand = brand

    async def read(self, question: Question) -> Understanding:
        understood = await self._local.read(question)
        carried = next((sense for sense in understood.whole.senses if sense.carried), None)
        if carried is None:
            return understood
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
            alone = [sense for sense in understood.whole.senses if not sense.carried]
            return self._only(understood, alone[0]) if alone else understood
        # About the message by itself, or with what was said before it.
        if not acceptable(text, question.text) or not await keeps(self._embed, text, carried.text, question.text):
            return understood
        favoured = carried.wordings.favoured if carried.wordings else ()
        beside = {question.text: ALONE} if text != question.text else {}
        return self._only(understood, replace(carried, text=text, prior=1.0, wordings=Wordings(beside, favoured)))

    def _only(self, understood: Understanding, sense: Sense) -> Understanding:
        whole = Request(understood.whole.text, (sense,))
        one = len(understood.requests) == 1
        return replace(understood, whole=whole, requests=(whole,) if one else understood.requests)
