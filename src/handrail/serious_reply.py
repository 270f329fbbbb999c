"""The reply to a serious matter: words first, then what surely fits of the articles, the policy, and a person."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from handrail import outcome
from handrail.citations import assemble, enforce
from handrail.despair import is_crisis
from handrail.in_flight import TurnInFlight
from handrail.learn_customer import learn
from handrail.serious import quotes_fit, without_refusal
from handrail.settings import Settings
from handrail.several import Joint, with_beside
from handrail.stages import Stages
from handrail.types import Draft, Evidence, Outcome, Question, Routing, Verified
from handrail.withhold import QUOTED, supported_only

NO_EVIDENCE = Evidence("", ())

Write = Callable[[TurnInFlight, Evidence, Question], Awaitable[Draft]]
"""The turn's answerer for a question, with whatever stands in for it when it fails."""
Check = Callable[[TurnInFlight, Draft, Evidence], Awaitable[Verified]]


class SeriousReply:
    def __init__(self, stages: Stages, settings: Settings, write: Write, check: Check) -> None:
        self._stages = stages
        self._relevance, self._sure = settings.gates.relevance, settings.high_stakes.quote_from
        self._write = write
        self._check = check

    async def reply(
        self, turn: TurnInFlight, asked: Question, evidence: Evidence, confidence: float, beside: Joint | None = None
    ) -> Outcome:
        """`asked`: what of the message is serious; `beside`: the answers to the rest of it, which come behind."""
        await learn(turn, self._stages.customers)
        asked = replace(asked, context=turn.question.context)
        if self._stages.talk is not None and not is_crisis(asked, turn.classification):
            less = await without_refusal(self._stages.talk, self._stages.retriever, asked)
            declines, before = less.declines, less.declined_before
            turn.question = replace(turn.question, declines=declines, declined_before=before)
            if less.text != asked.text:
                evidence = await self._found(less) or evidence
            asked = replace(asked, declines=declines, declined_before=before)
        draft, evidence = await self._fitting(turn, asked, evidence)
        if beside is not None:
            draft, evidence = with_beside(draft, evidence, beside)
        turn.showing.begin(evidence)
        draft = turn.showing.numbered(enforce(draft, evidence, may_be_empty=True))
        verified = await self._check(turn, draft, evidence)
        draft = supported_only(verified)
        await turn.showing.settle(draft)
        answer, citations = assemble(draft, evidence, confidence)
        result = outcome.high_stakes(answer, citations, confidence)
        return replace(result, claims=draft.claims, factuality=verified.factuality)

    async def _fitting(self, turn: TurnInFlight, asked: Question, evidence: Evidence) -> tuple[Draft, Evidence]:
        """The reply with what surely fits of the articles: of what was found for the matter, else for the message alone
        where it goes on about the matter, or for that matter where it refuses an offer.
        """
        draft = await self._write(turn, evidence, asked)
        if await self._fits(asked, draft, evidence):
            return draft, evidence
        others = [turn.said] if turn.goes_on else []
        if asked.declines:
            others += [past.question for past in reversed(asked.history) if past.routing is Routing.HIGH_STAKES][:1]
        for text in others:
            other = replace(asked, text=text)
            found = await self._found(other) if text != asked.text else None
            if found is not None:
                draft = await self._write(turn, found, other)
                if draft.claims and await self._fits(asked, draft, found):
                    return draft, found
        return await self._write(turn, NO_EVIDENCE, asked), NO_EVIDENCE

    async def _fits(self, asked: Question, draft: Draft, evidence: Evidence) -> bool:
        critic = self._stages.quick_critic
        return draft.provider != QUOTED or await quotes_fit(critic, asked, draft, evidence, self._sure)

    async def _found(self, asked: Question) -> Evidence | None:
        """What the articles say about it; None where they do not."""
        found = await self._stages.retriever.retrieve(asked.text, asked.filters)
        if not found.hits or self._stages.calibrator.probability(found) < self._relevance:
            return None
        return self._stages.besides(found) if self._stages.besides is not None else found
