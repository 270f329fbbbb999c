"""One turn, top to bottom."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from handrail import outcome
from handrail.citations import assemble, enforce
from handrail.classify import Classifier
from handrail.converse import Rewriter
from handrail.errors import HandrailError, NotGrounded, RetryableError
from handrail.gates import Calibrator
from handrail.generate import Answerer, Critic
from handrail.llm.meter import metering
from handrail.observe import Tracer, TurnTrace
from handrail.retrieve import Retriever
from handrail.settings import Settings
from handrail.stopwatch import Stopwatch
from handrail.types import (
    Classification,
    Critique,
    Draft,
    Evidence,
    Label,
    Outcome,
    Probe,
    Question,
    RefusalReason,
    Turn,
    Verdict,
)
from handrail.wording import Wording

NO_EVIDENCE = Evidence("", ())
UNDECIDED = Classification(Label.ANSWERABLE, 0.0, "rule")


@dataclass(frozen=True, slots=True)
class Stages:
    """What a pipeline is made of; a stage that is off is None."""

    classifier: Classifier
    fallback_classifier: Classifier
    retriever: Retriever
    rewriter: Rewriter | None
    calibrator: Calibrator
    answerer: Answerer
    fallback_answerer: Answerer | None
    critic: Critic | None
    tracer: Tracer


@dataclass(slots=True)
class _Progress:
    """What is known so far in one turn."""

    classification: Classification
    provider: str = "static"
    model: str | None = None
    retrieved: int = 0


class Pipeline:
    """Answers questions. Holds no state between turns."""

    def __init__(self, stages: Stages, settings: Settings, wording: Wording, clock: Callable[[], float]) -> None:
        self._stages = stages
        self._settings = settings
        self._wording = wording
        self._clock = clock

    async def run(self, question: Question) -> Turn:
        """Classify, retrieve, gate, answer, check. Never raises for what a provider does; a refusal is a result."""
        watch = Stopwatch(self._clock)
        progress = _Progress(UNDECIDED)
        with self._stages.tracer.turn(question) as trace, metering() as meter:
            try:
                async with asyncio.timeout(self._settings.server.turn_deadline_s):
                    result = await self._decide(question, progress, trace, watch)
            except (HandrailError, TimeoutError):
                result = outcome.unavailable(self._wording)
            turn = Turn(
                question=question,
                outcome=result,
                classification=progress.classification,
                trace_id=trace.id,
                provider=progress.provider,
                model=progress.model,
                retrieved=progress.retrieved,
                latency_ms=watch.laps(),
                usage=meter.usage,
            )
            trace.finish(turn)
        return turn

    async def _decide(self, question: Question, progress: _Progress, trace: TurnTrace, watch: Stopwatch) -> Outcome:
        with trace.stage("classify") as span, watch.lap("classify"):
            probe = await self._stages.retriever.probe(question.text)
            classification = await self._classify(question, probe)
            span.record(output=classification.label.value, probability=classification.probability)
        progress.classification = classification
        if classification.label in outcome.STATIC:
            return outcome.static(classification.label, self._wording, self._settings.brand.topics)

        evidence = await self._retrieve(question, probe, trace, watch)
        progress.retrieved = len(evidence.hits)
        confidence = self._stages.calibrator.probability(evidence)
        relevant = bool(evidence.hits) and confidence >= self._settings.gates.relevance
        with trace.stage("relevance_gate") as span:
            span.record(probability=confidence, passed=relevant)
        if classification.label is Label.HIGH_STAKES:
            return await self._high_stakes(
                question, progress, evidence if relevant else NO_EVIDENCE, confidence, trace, watch
            )
        if not relevant:
            return outcome.followup(self._wording, _nearest_titles(evidence), confidence)
        return await self._answer(question, progress, evidence, confidence, trace, watch)

    async def _classify(self, question: Question, probe: Probe) -> Classification:
        try:
            return await self._stages.classifier.classify(question, probe)
        except HandrailError:
            return await self._stages.fallback_classifier.classify(question, probe)

    async def _retrieve(self, question: Question, probe: Probe, trace: TurnTrace, watch: Stopwatch) -> Evidence:
        query = question.text
        if self._stages.rewriter is not None:
            with trace.stage("rewrite") as span, watch.lap("rewrite"):
                try:
                    query = await self._stages.rewriter.rewrite(question)
                except HandrailError:
                    query = question.text
                span.record(output=query)
        with trace.stage("retrieve") as span, watch.lap("retrieve"):
            evidence = await self._stages.retriever.retrieve(
                query, question.filters, probe if query == question.text else None
            )
            span.record(output=[hit.passage.id for hit in evidence.hits], **evidence.signals)
        return evidence

    async def _answer(
        self,
        question: Question,
        progress: _Progress,
        evidence: Evidence,
        confidence: float,
        trace: TurnTrace,
        watch: Stopwatch,
    ) -> Outcome:
        draft = await self._draft(question, progress, evidence, trace, watch)
        if draft.self_verdict is Verdict.CANNOT or not draft.claims:
            return outcome.cannot_answer(RefusalReason.LOW_EVIDENCE, self._wording, confidence)
        try:
            draft = enforce(draft, evidence)
        except NotGrounded:
            return outcome.cannot_answer(RefusalReason.INVALID_CITATIONS, self._wording, confidence)
        critique = await self._critique(question, draft, evidence, trace, watch)
        confidence = confidence if critique.probability is None else critique.probability
        if critique.verdict is Verdict.CANNOT:
            return outcome.cannot_answer(RefusalReason.LOW_EVIDENCE, self._wording, confidence)
        answer, citations = assemble(draft, evidence, confidence)
        if confidence < self._settings.gates.confidence:
            return outcome.low_confidence(answer, citations, confidence, self._wording)
        return outcome.answered(answer, critique.verdict, citations, confidence, draft.suggestions)

    async def _high_stakes(
        self,
        question: Question,
        progress: _Progress,
        evidence: Evidence,
        confidence: float,
        trace: TurnTrace,
        watch: Stopwatch,
    ) -> Outcome:
        draft = await self._draft(question, progress, evidence, trace, watch)
        try:
            draft = enforce(draft, evidence, may_be_empty=True)
        except NotGrounded:
            draft = await self._fallback(question, progress, NO_EVIDENCE)
        answer, citations = assemble(draft, evidence, confidence)
        return outcome.high_stakes(answer, citations, confidence)

    async def _draft(
        self, question: Question, progress: _Progress, evidence: Evidence, trace: TurnTrace, watch: Stopwatch
    ) -> Draft:
        with trace.stage("generate") as span, watch.lap("generate"):
            try:
                draft = await self._in_time(self._stages.answerer.answer(question, progress.classification, evidence))
            except HandrailError:
                draft = await self._fallback(question, progress, evidence)
            span.record(output=[claim.text for claim in draft.claims], provider=draft.provider)
        progress.provider, progress.model = draft.provider, draft.model
        return draft

    async def _in_time(self, answer: Awaitable[Draft]) -> Draft:
        """Two thirds of the turn at most, so that a hanging provider leaves time for the fallback."""
        try:
            return await asyncio.wait_for(answer, self._settings.server.turn_deadline_s * 2 / 3)
        except TimeoutError:
            raise RetryableError("the answering model took too long") from None

    async def _fallback(self, question: Question, progress: _Progress, evidence: Evidence) -> Draft:
        answerer = self._stages.fallback_answerer or self._stages.answerer
        return await answerer.answer(question, progress.classification, evidence)

    async def _critique(
        self, question: Question, draft: Draft, evidence: Evidence, trace: TurnTrace, watch: Stopwatch
    ) -> Critique:
        if self._stages.critic is None:
            return Critique(draft.self_verdict or Verdict.FULLY)
        with trace.stage("critique") as span, watch.lap("critique"):
            try:
                critique = await self._stages.critic.critique(question, draft, evidence)
            except HandrailError:
                critique = Critique(Verdict.PARTLY)
            span.record(output=critique.verdict.value, probability=critique.probability)
        return critique


def _nearest_titles(evidence: Evidence, limit: int = 3) -> list[str]:
    titles = dict.fromkeys(hit.passage.title for hit in evidence.hits if not hit.neighbour)
    return list(titles)[:limit]
