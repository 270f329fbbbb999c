"""Stages that ask nobody about an answer that was given before."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Protocol

from handrail.answer import Answerer, Critic, Told
from handrail.answer.cache import normalised
from handrail.answer.cache.turns import AnswerCache, slip
from handrail.llm.prompts import RenderedPrompt
from handrail.types import Claim, Classification, Critique, Draft, Evidence, Label, Question, Verified

MAY_BE_SERIOUS = 0.25
"""Probability of high stakes from which every question is answered anew."""


class Writer(Answerer, Protocol):
    def prompt(self, question: Question, evidence: Evidence) -> RenderedPrompt:
        """What it would send for an answer."""
        ...


class Verifies(Protocol):
    async def verify(self, question: Question, draft: Draft, evidence: Evidence) -> Verified: ...


class CachedAnswerer:
    """An Answerer. Two questions are the same if the model would be sent the same for both, whatever their case.

    So it has found the same passages, follows the same rules, and is warned of the same wrong answers.
    """

    def __init__(self, inner: Writer, cache: AnswerCache, made_by: str) -> None:
        """`made_by`: what else an answer depends on, such as the model and the version of the knowledge base."""
        self._inner = inner
        self._cache = cache
        self._made_by = made_by
        self.least = inner.least

    async def answer(
        self, question: Question, classification: Classification, evidence: Evidence, told: Told | None = None
    ) -> Draft:
        own = slip()
        if own is None or not repeatable(question, classification):
            return await self._inner.answer(question, classification, evidence, told)
        own.key = self._key(question, evidence)
        own.hit = await self._cache.find(own.key)
        if own.hit is None:
            own.draft = await self._inner.answer(question, classification, evidence, told)
            return own.draft
        draft = replace(own.hit.draft, cached=True)
        if told is not None:
            for claim in draft.claims:
                await told.write(claim)
        return draft

    def _key(self, question: Question, evidence: Evidence) -> str:
        prompt = self._inner.prompt(replace(question, text=normalised(question.text)), evidence)
        shaped = (prompt.digest, prompt.system, prompt.user, question.lang, sorted(question.filters.items()))
        return sha256(json.dumps((self._made_by, *shaped)).encode()).hexdigest()


class CachedVerifier:
    """A Verifier that asks a model: what it said of an answer is not asked again."""

    def __init__(self, inner: Verifies) -> None:
        self._inner = inner

    async def verify(self, question: Question, draft: Draft, evidence: Evidence) -> Verified:
        own = slip()
        said = own.hit.verified if own is not None and own.hit is not None else None
        labelled = _labelled(draft.claims, said.draft.claims) if said is not None else None
        if said is not None and labelled is not None:
            return Verified(replace(draft, claims=labelled), said.factuality)
        verified = await self._inner.verify(question, draft, evidence)
        if own is not None:
            own.verified = verified
        return verified


class CachedCritic:
    """A Critic that asks a model, likewise."""

    def __init__(self, inner: Critic) -> None:
        self._inner = inner

    async def critique(self, question: Question, draft: Draft, evidence: Evidence) -> Critique:
        own = slip()
        if own is not None and own.hit is not None and own.hit.critique is not None:
            return own.hit.critique
        critique = await self._inner.critique(question, draft, evidence)
        if own is not None:
            own.critique = critique
        return critique


def repeatable(question: Question, classification: Classification) -> bool:
    """Whether the answer says nothing that only this visitor may read, and depends on nothing said before."""
    serious = classification.probabilities.get(Label.HIGH_STAKES, 0.0) >= MAY_BE_SERIOUS
    if classification.label is not Label.ANSWERABLE or serious or classification.matter is not None:
        return False
    return not (question.suspicious or question.context or question.history or question.earlier)


def _labelled(claims: Sequence[Claim], said: Sequence[Claim]) -> tuple[Claim, ...] | None:
    """The claims as they were labelled; None where they are not the same."""
    if [claim.text for claim in claims] != [claim.text for claim in said]:
        return None
    return tuple(replace(old, id=new.id) for old, new in zip(said, claims, strict=True))
