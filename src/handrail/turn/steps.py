"""The steps of a turn that ask a provider: each is traced, timed, and has a spare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from handrail.errors import HandrailError
from handrail.settings import Settings
from handrail.turn import tracing
from handrail.turn.found import close_if_discussed, not_quoted
from handrail.turn.notices import written_in
from handrail.turn.showing import WordsOnly
from handrail.turn.stages import Stages
from handrail.turn.state import SMALL_SHARE, TurnInFlight
from handrail.types import (
    Citation,
    Critique,
    Draft,
    Evidence,
    Label,
    Outcome,
    Routing,
    Sense,
    Understanding,
    Verdict,
    Verified,
    Wordings,
)
from handrail.verify.withhold import settled


class Steps:
    def __init__(self, stages: Stages, settings: Settings) -> None:
        self._stages = stages
        self._settings = settings

    async def understand(self, turn: TurnInFlight) -> Understanding:
        async with turn.stage("understand") as span:
            understood = await self._stages.understand.call(turn, lambda stage: stage.read(turn.question))
            span.record(input=turn.question.text, output=[request.text for request in understood.requests])
            span.record(**tracing.understood(understood))
        return understood

    async def search(self, turn: TurnInFlight, sense: Sense) -> Evidence:
        """What the articles say about one sense of a request; the visitor's own words are always searched for, too."""
        query, wordings, rewriter = sense.text, sense.wordings, self._stages.rewriter
        if rewriter is not None and not sense.carried:
            try:
                query = await turn.in_time(rewriter.rewrite(replace(turn.question, text=query)), SMALL_SHARE)
            except HandrailError as error:
                turn.go_on_without("rewrite", error.reason)
            if query != sense.text:
                wordings = Wordings({sense.text: 1.0}, wordings.favoured if wordings is not None else ())
        probe = sense.probe if query == sense.text else None
        evidence = await self._stages.retriever.retrieve(query, turn.question.filters, probe, wordings)
        bands = self._stages.bands
        if wordings is not None:
            evidence = close_if_discussed(evidence, wordings.favoured, bands)
        return not_quoted(evidence, turn.question.history, bands) if sense.carried else evidence

    async def know_customer(self, turn: TurnInFlight) -> None:
        """Before an offer with conditions is made: puts what is known into the question's context.

        Without an answer in time, only what is signed counts.
        """
        customers = self._stages.customers
        if customers is None:
            return
        async with turn.stage("customer") as span:
            try:
                known = await turn.in_time(customers.known(turn.question), SMALL_SHARE)
            except HandrailError as error:
                turn.go_on_without("customer", error.reason)
                known = turn.question.context
            span.record(output=sorted(known))
        turn.question = replace(turn.question, context=known)

    async def draft(self, turn: TurnInFlight, evidence: Evidence, *, grave: bool = False) -> Draft:
        """`grave`: as the reply to a serious matter, which begins and ends with words of its own."""
        same = written_in(turn.question) == self._stages.articles_lang
        turn.showing.begin(evidence, same_language=same)
        # Claims of a high-stakes reply come after its acknowledgement, so only its words are shown as they are written.
        told = WordsOnly(turn.showing) if grave else turn.showing
        label = Label.HIGH_STAKES if grave else Label.ANSWERABLE
        classification = replace(turn.classification, label=label)
        async with turn.stage("generate") as span:
            draft = await self._stages.answer.call(
                turn, lambda stage: stage.answer(turn.asked, classification, evidence, told)
            )
            if "answer" in turn.degraded:
                await turn.showing.withdraw()
            given = [hit.passage.id for hit in evidence.hits]
            span.record(input=given, output=[claim.text for claim in draft.claims], label=label.value)
            span.record(provider=draft.provider, answered_by=draft.model, cached=draft.cached)
            if draft.self_verdict is not None:
                span.record(verdict=draft.self_verdict.value)
        turn.provider, turn.model, turn.cached = draft.provider, draft.model, draft.cached
        return draft

    async def quoted(self, turn: TurnInFlight, evidence: Evidence, reason: str) -> Draft:
        """The articles' own words, in place of a draft that does not stand for this reason."""
        turn.go_on_without("answer", reason)
        await turn.showing.withdraw()
        spare = self._stages.answer.spare or self._stages.answer.primary
        async with turn.stage("quote") as span:
            draft = await spare.answer(turn.asked, turn.classification, evidence)
            span.record(input=[hit.passage.id for hit in evidence.hits], output=[claim.text for claim in draft.claims])
        turn.provider, turn.model, turn.cached = draft.provider, draft.model, draft.cached
        return draft

    async def verify(self, turn: TurnInFlight, draft: Draft, evidence: Evidence) -> Verified:
        """Each claim with its label; the articles' own words need no check that they say what they say."""
        if self._stages.verify is None or draft.verbatim:
            return Verified(draft, None)
        async with turn.stage("verify") as span:
            verified = await self._stages.verify.call(turn, lambda stage: stage.verify(turn.question, draft, evidence))
            verified = settled(verified, self._settings.verify)
            claims = [tracing.claim(claim) for claim in verified.draft.claims]
            span.record(input=[claim.text for claim in draft.claims], output=claims, factuality=verified.factuality)
        return verified

    async def critique(self, turn: TurnInFlight, draft: Draft, evidence: Evidence) -> Critique:
        """Of the articles' own words, the gate has judged the text that is shown."""
        if self._stages.critique is None or draft.verbatim:
            return Critique(draft.self_verdict or Verdict.FULLY)
        async with turn.stage("critique") as span:
            critique = await self._stages.critique.call(turn, lambda stage: stage.critique(turn.asked, draft, evidence))
            span.record(input=[claim.text for claim in draft.claims], output=critique.verdict.value)
            span.record(probability=critique.probability)
        return critique

    def related(self, turn: TurnInFlight, result: Outcome) -> Outcome:
        """With articles beside those that it shows; none in a serious matter."""
        relations = self._stages.relations
        if relations is None or result.routing is Routing.HIGH_STAKES:
            return result
        cited = [citation.passage.article_id for citation in result.citations]
        shown = dict.fromkeys([*cited, *(card.piece.article_id for card in result.closest)])
        return replace(result, related=relations.beside(shown.keys(), turn.question.filters))

    async def suggest(self, turn: TurnInFlight, draft: Draft, citations: Sequence[Citation]) -> Sequence[str]:
        suggester = self._stages.suggester
        if suggester is None:
            return ()
        drafted = await suggester.answerable(draft.suggestions) if draft.suggestions else ()
        return suggester.after(turn.question, citations, drafted)
