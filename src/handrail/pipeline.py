"""One turn, top to bottom."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from handrail import outcome
from handrail.citations import assemble, enforce
from handrail.classify import Classifier
from handrail.converse import Rewriter
from handrail.errors import HandrailError, NotGrounded, RetryableError
from handrail.gates import Calibrator
from handrail.generate import Answerer, Critic
from handrail.llm.meter import metering
from handrail.observe import Tracer, TurnTrace
from handrail.observe.shielded import ShieldedTracer
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

SMALL_SHARE = 1 / 4
"""Of the time left in a turn, what classifying or rewriting may take before the turn goes on without its provider."""
LARGE_SHARE = 2 / 3
"""The same for answering and for the critique."""

T = TypeVar("T")


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
    fallback_critic: Critic | None = None
    closing: Callable[[], Awaitable[None]] | None = None
    """Closes connections the stages hold."""


@dataclass(slots=True)
class _Progress:
    """What is known so far in one turn."""

    classification: Classification
    ends: float
    """When the turn's time is over, by the event loop's clock."""
    provider: str = "static"
    model: str | None = None
    retrieved: int = 0


class Pipeline:
    """Answers questions. Holds no state between turns."""

    def __init__(self, stages: Stages, settings: Settings, wording: Wording, clock: Callable[[], float]) -> None:
        self._stages = stages
        self._tracer = ShieldedTracer(stages.tracer)
        self._settings = settings
        self._wording = wording
        self._clock = clock

    async def run(self, question: Question) -> Turn:
        """Classify, retrieve, gate, answer, check. Never raises for what a provider does; a refusal is a result."""
        watch = Stopwatch(self._clock)
        ends = asyncio.get_running_loop().time() + self._settings.server.turn_deadline_s
        progress = _Progress(UNDECIDED, ends)
        with self._tracer.turn(question) as trace, metering() as meter:
            try:
                async with asyncio.timeout_at(ends):
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
            classification = await self._classify(question, progress, probe)
            span.record(output=classification.label.value, probability=classification.probability)
        progress.classification = classification
        if classification.label in outcome.STATIC:
            return outcome.static(classification.label, self._wording, self._settings.brand.topics, classification.rule)

        evidence = await self._retrieve(question, progress, probe, trace, watch)
        progress.retrieved = len(evidence.hits)
        if classification.rule == "topic":
            return outcome.topic(question.text, self._wording, _nearest_titles(evidence, limit=5))
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

    async def _classify(self, question: Question, progress: _Progress, probe: Probe) -> Classification:
        try:
            return await _in_time(self._stages.classifier.classify(question, probe), progress, SMALL_SHARE)
        except HandrailError:
            return await self._stages.fallback_classifier.classify(question, probe)

    async def _retrieve(
        self, question: Question, progress: _Progress, probe: Probe, trace: TurnTrace, watch: Stopwatch
    ) -> Evidence:
        query = question.text
        if self._stages.rewriter is not None:
            with trace.stage("rewrite") as span, watch.lap("rewrite"):
                try:
                    query = await _in_time(self._stages.rewriter.rewrite(question), progress, SMALL_SHARE)
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
        critique = await self._critique(question, progress, draft, evidence, trace, watch)
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
        draft = enforce(draft, evidence, may_be_empty=True)
        answer, citations = assemble(draft, evidence, confidence)
        return outcome.high_stakes(answer, citations, confidence)

    async def _draft(
        self, question: Question, progress: _Progress, evidence: Evidence, trace: TurnTrace, watch: Stopwatch
    ) -> Draft:
        with trace.stage("generate") as span, watch.lap("generate"):
            try:
                work = self._stages.answerer.answer(question, progress.classification, evidence)
                draft = await _in_time(work, progress, LARGE_SHARE)
            except HandrailError:
                draft = await self._fallback(question, progress, evidence)
            span.record(output=[claim.text for claim in draft.claims], provider=draft.provider)
        progress.provider, progress.model = draft.provider, draft.model
        return draft

    async def _fallback(self, question: Question, progress: _Progress, evidence: Evidence) -> Draft:
        answerer = self._stages.fallback_answerer or self._stages.answerer
        return await answerer.answer(question, progress.classification, evidence)

    async def _critique(
        self,
        question: Question,
        progress: _Progress,
        draft: Draft,
        evidence: Evidence,
        trace: TurnTrace,
        watch: Stopwatch,
    ) -> Critique:
        if self._stages.critic is None:
            return Critique(draft.self_verdict or Verdict.FULLY)
        with trace.stage("critique") as span, watch.lap("critique"):
            try:
                critique = await _in_time(
                    self._stages.critic.critique(question, draft, evidence), progress, LARGE_SHARE
                )
            except HandrailError:
                fallback = self._stages.fallback_critic
                critique = await fallback.critique(question, draft, evidence) if fallback else Critique(Verdict.PARTLY)
            span.record(output=critique.verdict.value, probability=critique.probability)
        return critique


async def _in_time(work: Awaitable[T], progress: _Progress, share: float) -> T:
    """`work` within its share of the time left, so that a hanging provider never costs the whole turn.

    Raises RetryableError when that is over.
    """
    left = progress.ends - asyncio.get_running_loop().time()
    try:
        return await asyncio.wait_for(work, left * share)
    except TimeoutError:
        raise RetryableError("a provider took longer than its share of the turn") from None


def _nearest_titles(evidence: Evidence, limit: int = 3) -> list[str]:
    titles = dict.fromkeys(hit.passage.title for hit in evidence.hits if not hit.neighbour)
    return list(titles)[:limit]
