"""One turn, top to bottom."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from handrail import language, outcome, second_look
from handrail.citations import assemble, enforce
from handrail.despair import in_crisis, speaks_of_dying
from handrail.errors import HandrailError, NotGrounded, NotSupported
from handrail.in_flight import LARGE_SHARE, SMALL_SHARE, TurnInFlight, traced
from handrail.llm.meter import Bounds, metering
from handrail.notices import noticed, written_in
from handrail.observe.shielded import ShieldedTracer
from handrail.off_point import off_point, says_added, without_reason
from handrail.people import NOBODY
from handrail.reading import label_of_follow_up, not_solved, understood
from handrail.repeats import ask_anew, ask_back, fixed_reply, nearest_titles, quoted_again, without_quoted
from handrail.serious import leaves_it, look_back, still_offered
from handrail.serious_reply import NO_EVIDENCE, SeriousReply
from handrail.settings import Settings
from handrail.several import Joint
from handrail.showing import Showing
from handrail.stages import Stages
from handrail.stopwatch import Stopwatch
from handrail.types import (
    Citation,
    Classification,
    Critique,
    Draft,
    Evidence,
    Label,
    Outcome,
    Probe,
    Question,
    Reading,
    RefusalReason,
    Routing,
    Turn,
    Verdict,
    Verified,
)
from handrail.watch import Nobody, TurnWatch
from handrail.withhold import QUOTED, settled, withhold
from handrail.wording import Wording

SURE_ABROAD = 0.75
"""Confidence from which passages in another language than the question's are quoted without a word of doubt."""


class Pipeline:
    """Answers questions. Holds no state between turns."""

    def __init__(self, stages: Stages, settings: Settings, wording: Wording, clock: Callable[[], float]) -> None:
        self._stages = stages
        self._tracer = ShieldedTracer(stages.tracer)
        self._settings, self._gates = settings, settings.gates
        self._wording, self._clock = wording, clock
        llm = settings.llm
        self._serious = SeriousReply(stages, settings, self._draft, self._verify)
        self._bounds = Bounds(llm.turn_max_requests, llm.turn_max_tokens, llm.turn_max_usd)

    async def run(self, question: Question, watch: TurnWatch | None = None) -> Turn:
        """Classify, retrieve, gate, answer, check. Never raises for what a provider does; a refusal is a result."""
        laps = Stopwatch(self._clock)
        spoken, unspoken = language.of_message(question.text, question.lang), language.unspoken(question.text)
        question = replace(question, lang=spoken, unspoken=unspoken)
        if not self._settings.brand.person_available:
            question = replace(question, people=NOBODY)
        wording = self._wording.into(question.lang, question.people)
        ends = asyncio.get_running_loop().time() + self._settings.server.turn_deadline_s
        with self._tracer.turn(question) as trace, metering(self._bounds) as meter:
            turn = TurnInFlight(
                question, wording, trace, laps, watch or Nobody(), Showing(watch), ends, said=question.text
            )
            try:
                async with asyncio.timeout_at(ends):
                    result = await self._decide(turn)
            except (HandrailError, TimeoutError):
                turn.go_on_without("assistant")
                result = outcome.unavailable(turn.wording)
            if not result.answers:
                await turn.showing.withdraw()
            result = self._noticed(turn, result, question)
            if turn.goes_on:
                result = still_offered(result, turn.classification)
            finished = Turn(
                question=replace(
                    question, declines=turn.question.declines, declined_before=turn.question.declined_before
                ),
                outcome=outcome.within_reach(not_solved(result, question), question.people),
                classification=turn.classification,
                trace_id=trace.id,
                provider=turn.provider,
                model=turn.model,
                retrieved=turn.retrieved,
                latency_ms=laps.laps(),
                usage=meter.usage,
                attempts=tuple(meter.attempts),
                degraded=tuple(turn.degraded),
                standalone=turn.question.text,
            )
            trace.finish(finished)
        return finished

    def _noticed(self, turn: TurnInFlight, result: Outcome, message: Question) -> Outcome:
        quoted, written = turn.provider == QUOTED, self._stages.fallback_answerer is not None
        articles = self._stages.articles_lang
        of = turn.classification
        return noticed(result, message, of, turn.wording, articles, quoted=quoted, written=written)

    async def _decide(self, turn: TurnInFlight) -> Outcome:
        probe, classification = await self._understand(turn)
        turn.classification = classification
        evidence = await self._second_look(turn, probe) if second_look.due(classification, self._gates) else None
        if evidence is not None:
            turn.classification = classification = second_look.overruled(classification)
        joint = await self._stages.several.answer(turn, self._draft) if self._stages.several else None
        if joint is not None:
            return await self._answer_parts(turn, joint)
        fixed = fixed_reply(turn.question, classification, turn.wording, self._settings.brand.topics)
        if fixed is not None:
            return fixed
        evidence = evidence or await self._retrieve(turn, probe)
        turn.retrieved = len(evidence.hits)
        if classification.rule == "topic":
            return outcome.topic(turn.question.text, turn.wording, nearest_titles(evidence, 5))
        confidence = self._stages.calibrator.probability(evidence)
        relevant = bool(evidence.hits) and confidence >= self._gates.relevance
        with turn.trace.stage("relevance_gate") as span:
            span.record(probability=confidence, passed=relevant)
        if classification.label is Label.HIGH_STAKES:
            return await self._serious.reply(turn, turn.question, evidence if relevant else NO_EVIDENCE, confidence)
        if turn.reading.kind == "complaint":
            return ask_anew(turn.question, turn.wording, evidence, confidence)
        if not relevant:
            return self._ask_back(turn, evidence, confidence)
        return await self._answer(turn, evidence, confidence)

    def _ask_back(self, turn: TurnInFlight, evidence: Evidence, confidence: float) -> Outcome:
        return ask_back(turn.question, turn.reading, turn.wording, evidence, confidence, foreign=self._unread(turn))

    async def _second_look(self, turn: TurnInFlight, probe: Probe) -> Evidence | None:
        """What answers a message that would get a fixed reply; None where the articles do not, or cannot be read."""
        try:
            evidence = await self._retrieve(turn, probe)
        except HandrailError:
            return None
        said = second_look.answered(self._stages.calibrator.probability(evidence), turn.classification)
        return second_look.answering(turn.trace, evidence, said, self._gates, foreign=self._unread(turn))

    def _unread(self, turn: TurnInFlight) -> bool:
        """Whether a message is in a language that nothing here reads."""
        return written_in(turn.question) != self._stages.articles_lang and not self._stages.reads_abroad

    async def _understand(self, turn: TurnInFlight) -> tuple[Probe, Classification]:
        """Read the message with its history, then classify what it comes to."""
        said = await self._stages.retriever.probe(turn.question.text)
        if self._stages.talk is not None:
            looked_back = await look_back(self._stages.talk, self._stages.retriever, turn.question, said)
            turn.question, turn.goes_on = looked_back
        message = turn.question
        probe, classification = await self._classify(turn, await self._read(turn, said))
        if turn.reading.depends:
            alone = await self._stages.fallback_classifier.classify(message, said)
            if alone.label is Label.ANSWERABLE and leaves_it(turn.reading, message, goes_on=turn.goes_on):
                turn.reading, turn.question = Reading(message.text), message
                return said, alone
            classification = label_of_follow_up(alone, classification, turn.reading, message)
            if classification is alone and alone.label in outcome.STATIC:
                turn.reading, turn.question = Reading(message.text), message
        return probe, classification

    async def _read(self, turn: TurnInFlight, probe: Probe) -> Probe | None:
        """The message's own probe, where it turns out to be the whole question. Despair is never reworded."""
        reader, question = self._stages.reader, turn.question
        if reader is None or not question.history or speaks_of_dying(question.text):
            return probe
        async with turn.stage("read") as span:
            if in_crisis(probe) is not None:
                return probe
            try:
                reading = await turn.in_time(reader.read(question, probe), SMALL_SHARE)
            except HandrailError:
                turn.go_on_without("read")
                fallback = self._stages.fallback_reader
                reading = await fallback.read(question, probe) if fallback else Reading(question.text)
            span.record(output=reading.text, kind=reading.kind)
        turn.reading, turn.question = reading, understood(question, reading)
        return probe if turn.question.text == question.text else None

    async def _classify(self, turn: TurnInFlight, probe: Probe | None) -> tuple[Probe, Classification]:
        question = turn.question
        async with turn.stage("classify") as span:
            probe = probe or await self._stages.retriever.probe(question.text)
            try:
                found = await turn.in_time(self._stages.classifier.classify(question, probe), SMALL_SHARE)
            except HandrailError:
                turn.go_on_without("classify")
                found = await self._stages.fallback_classifier.classify(question, probe)
            span.record(output=found.label.value, probability=found.probability)
        return probe, found

    async def _retrieve(self, turn: TurnInFlight, probe: Probe) -> Evidence:
        question = turn.question
        query = await self._rewrite(turn)
        async with turn.stage("retrieve") as span:
            evidence = await self._stages.retriever.retrieve(
                query,
                question.filters,
                probe if query == question.text else None,
                turn.reading if turn.reading.depends else None,
            )
            span.record(output=[hit.passage.id for hit in evidence.hits], **evidence.signals)
        return self._stages.besides(evidence) if self._stages.besides is not None else evidence

    async def _rewrite(self, turn: TurnInFlight) -> str:
        """What to search for: the rewriter's words, else what the message asks, less what asks for nothing."""
        query = turn.question.text if turn.reading.depends else turn.classification.asks or turn.question.text
        if self._stages.rewriter is None or turn.reading.depends:
            return query
        async with turn.stage("rewrite") as span:
            try:
                query = await turn.in_time(self._stages.rewriter.rewrite(turn.question), SMALL_SHARE)
            except HandrailError:
                turn.go_on_without("rewrite")
            span.record(output=query)
        return query

    async def _answer(self, turn: TurnInFlight, evidence: Evidence, confidence: float) -> Outcome:
        if self._stages.widen is not None:
            evidence = self._stages.widen(evidence)
        draft = await self._draft(turn, evidence)
        if draft.provider != QUOTED:
            return await self._checked(turn, draft, evidence, confidence)
        if self._in_english(turn) and without_reason(turn.reading, draft, evidence):
            return self._ask_back(turn, evidence, confidence)
        if not quoted_again(turn.question, turn.reading, draft):
            return await self._checked(turn, draft, evidence, confidence)
        besides = without_quoted(evidence, draft)
        result = await self._checked(turn, await self._draft(turn, besides), besides, confidence, again=True)
        if result.routing is not Routing.CANNOT_ANSWER or not says_added(turn.question, turn.reading, draft, evidence):
            return result
        # Better quoted twice than refused: what is asked now stands in what was quoted for another question.
        await turn.showing.withdraw()
        self._begin(turn, evidence)
        return await self._checked(turn, draft, evidence, confidence)

    async def _answer_parts(self, turn: TurnInFlight, joint: Joint) -> Outcome:
        """Each answered part, and a word about those that stay open; a serious one makes the whole reply serious."""
        turn.retrieved, turn.provider = len(joint.evidence.hits), joint.draft.provider
        if joint.serious is not None:
            serious = joint.serious
            turn.classification = serious.classification
            relevant = bool(serious.evidence.hits) and serious.confidence >= self._gates.relevance
            evidence = serious.evidence if relevant else NO_EVIDENCE
            return await self._serious.reply(turn, serious.question, evidence, serious.confidence, joint)
        self._begin(turn, joint.evidence)
        result = await self._checked(turn, joint.draft, joint.evidence, joint.confidence)
        return outcome.partly(result) if joint.left_open and result.routing is Routing.ANSWERED else result

    async def _checked(
        self, turn: TurnInFlight, draft: Draft, evidence: Evidence, confidence: float, *, again: bool = False
    ) -> Outcome:
        if draft.self_verdict is Verdict.CANNOT or not draft.claims:
            return outcome.cannot_answer(RefusalReason.LOW_EVIDENCE, turn.wording, confidence, again=again)
        try:
            draft = turn.showing.numbered(enforce(draft, evidence))
        except NotGrounded:
            return outcome.cannot_answer(RefusalReason.INVALID_CITATIONS, turn.wording, confidence)
        if again and quoted_again(turn.question, turn.reading, draft):
            return outcome.cannot_answer(RefusalReason.LOW_EVIDENCE, turn.wording, confidence, again=True)
        if await self._worth_showing(turn, draft, evidence):
            await turn.showing.rest(draft)
        verified = await self._verify(turn, draft, evidence)
        try:
            draft = withhold(verified, self._settings.verify, turn.wording)
        except NotSupported:
            refused = outcome.cannot_answer(RefusalReason.UNSUPPORTED_CLAIMS, turn.wording, confidence)
            return replace(refused, factuality=verified.factuality)
        critique, drafted = await asyncio.gather(self._critique(turn, draft, evidence), self._answerable(draft))
        confidence = confidence if critique.probability is None else critique.probability
        if critique.verdict is Verdict.CANNOT:
            return outcome.cannot_answer(RefusalReason.LOW_EVIDENCE, turn.wording, confidence, again=again)
        await turn.showing.settle(draft)
        answer, citations = assemble(draft, evidence, confidence)
        if confidence < self._sure_from(turn) or self._off_point(turn, draft, evidence):
            result = outcome.low_confidence(answer, citations, confidence, turn.wording)
        else:
            verdict = Verdict.PARTLY if verified.unsupported else critique.verdict
            result = outcome.answered(answer, verdict, citations, confidence, self._next(turn, citations, drafted))
        return outcome.proved(result, draft, verified.factuality, turn.wording)

    def _sure_from(self, turn: TurnInFlight) -> float:
        """Encoders of one language see little more than names in another, and are sure of it all the same."""
        foreign = turn.provider == QUOTED and written_in(turn.question) != self._stages.articles_lang
        return max(self._gates.confidence, SURE_ABROAD) if foreign else self._gates.confidence

    def _off_point(self, turn: TurnInFlight, draft: Draft, evidence: Evidence) -> bool:
        ours = self._in_english(turn) and turn.provider == QUOTED
        return ours and off_point(turn.question, turn.reading, draft, evidence)

    def _in_english(self, turn: TurnInFlight) -> bool:
        return written_in(turn.question) == self._stages.articles_lang == "en"

    async def _answerable(self, draft: Draft) -> Sequence[str]:
        """What the draft itself suggests, as far as the articles answer it."""
        suggester = self._stages.suggester
        return await suggester.answerable(draft.suggestions) if suggester and draft.suggestions else ()

    def _next(self, turn: TurnInFlight, citations: Sequence[Citation], drafted: Sequence[str]) -> Sequence[str]:
        suggester = self._stages.suggester
        return suggester.after(turn.question, citations, drafted) if suggester else ()

    async def _draft(self, turn: TurnInFlight, evidence: Evidence, asked: Question | None = None) -> Draft:
        """`asked`: another question than the turn's own."""
        asked = turn.question if asked is None else asked
        self._begin(turn, evidence)
        async with turn.stage("generate") as span:
            try:
                draft = await turn.in_time(self._written(turn, asked, evidence), LARGE_SHARE)
            except HandrailError:
                await turn.showing.withdraw()
                draft = await self._fallback(turn, asked, evidence)
            span.record(output=[claim.text for claim in draft.claims], provider=draft.provider)
        turn.provider, turn.model = draft.provider, draft.model
        return draft

    def _begin(self, turn: TurnInFlight, evidence: Evidence) -> None:
        turn.showing.begin(evidence, same_language=written_in(turn.question) == self._stages.articles_lang)

    def _written(self, turn: TurnInFlight, asked: Question, evidence: Evidence) -> Awaitable[Draft]:
        """Claims of a high-stakes reply come after its acknowledgement, so they are not shown as they are written."""
        classification = turn.classification
        heard = None if classification.label is Label.HIGH_STAKES else turn.showing.write
        return self._stages.answerer.answer(asked, classification, evidence, heard)

    async def _fallback(self, turn: TurnInFlight, asked: Question, evidence: Evidence) -> Draft:
        turn.go_on_without("answer")
        answerer = self._stages.fallback_answerer or self._stages.answerer
        return await answerer.answer(asked, turn.classification, evidence)

    async def _worth_showing(self, turn: TurnInFlight, draft: Draft, evidence: Evidence) -> bool:
        """A draft that is bound to be withdrawn is not shown for the blink of an eye."""
        critic = self._stages.quick_critic
        if critic is None or turn.showing.started:
            return True
        return (await critic.critique(turn.question, draft, evidence)).verdict is not Verdict.CANNOT

    async def _verify(self, turn: TurnInFlight, draft: Draft, evidence: Evidence) -> Verified:
        """Each claim with its label; where checking fails, claims stay as the answerer left them."""
        if self._stages.verifier is None or not draft.claims:
            return Verified(draft, None)
        async with turn.stage("verify") as span:
            try:
                verified = await turn.in_time(self._stages.verifier.verify(turn.question, draft, evidence), LARGE_SHARE)
            except HandrailError:
                turn.go_on_without("verify")
                fallback = self._stages.fallback_verifier
                verified = await fallback.verify(turn.question, draft, evidence) if fallback else Verified(draft, None)
            verified = settled(verified, self._settings.verify)
            span.record(output=[traced(claim) for claim in verified.draft.claims], factuality=verified.factuality)
        return verified

    async def _critique(self, turn: TurnInFlight, draft: Draft, evidence: Evidence) -> Critique:
        if self._stages.critic is None:
            return Critique(draft.self_verdict or Verdict.FULLY)
        async with turn.stage("critique") as span:
            try:
                critique = await turn.in_time(self._stages.critic.critique(turn.question, draft, evidence), LARGE_SHARE)
            except HandrailError:
                turn.go_on_without("critique")
                fallback = self._stages.fallback_critic
                unsure = Critique(Verdict.PARTLY)
                critique = await fallback.critique(turn.question, draft, evidence) if fallback else unsure
            span.record(output=critique.verdict.value, probability=critique.probability)
        return critique
