"""A draft judged by a language model against its question and passages, before anybody sees it."""

from __future__ import annotations

from pydantic import BaseModel

from handrail.llm import LanguageModel
from handrail.llm.prompts import PromptLibrary
from handrail.settings import Brand
from handrail.types import Critique, Draft, Evidence, Question, Verdict


class Judgement(BaseModel):
    """The verdict on the draft, and what it leaves unanswered."""

    verdict: Verdict
    missing: str


class LlmCritic:
    """A Critic. It reads the cited passages only: what a draft does not cite cannot make it better."""

    def __init__(self, model: LanguageModel, prompts: PromptLibrary, brand: Brand) -> None:
        self._model = model
        self._prompts = prompts
        self._brand = brand

    async def critique(self, question: Question, draft: Draft, evidence: Evidence) -> Critique:
        if draft.self_verdict is Verdict.CANNOT or not draft.claims:
            return Critique(Verdict.CANNOT)
        cited = {passage_id for claim in draft.claims for passage_id in claim.passage_ids}
        prompt = self._prompts.render(
            "critique",
            brand=self._brand.name,
            passages=[passage for passage in evidence.passages if passage.id in cited],
            claims=draft.claims,
            message=question.text,
        )
        reply = await self._model.ask(prompt, Judgement)
        return Critique(reply.output.verdict)


class Unsure:
    """A Critic for when nobody else judges: what was written is given with a word of caution."""

    async def critique(self, question: Question, draft: Draft, evidence: Evidence) -> Critique:
        return Critique(Verdict.PARTLY)
