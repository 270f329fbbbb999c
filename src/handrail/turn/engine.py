"""One turn, top to bottom: understand, retrieve, gate, answer, verify."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace

from handrail.answer.citations import assemble, enforce
from handrail.answer.gate import Band
from handrail.errors import HandrailError, NotGrounded, NotSupported
from handrail.llm.meter import Bounds, metering
from handrail.observe.log_context import logged_as
from handrail.observe.shielded import ShieldedTracer
from handrail.settings import Settings
from handrail.text import language
from handrail.text.contacts import without_personal
from handrail.turn import outcome, replies, tracing
from handrail.turn.found import STATIC, Found, found, likeliness, merged, sure_of, surely_static
from handrail.turn.notices import noticed
from handrail.turn.showing import Showing
from handrail.turn.stages import Stages
from handrail.turn.state import TurnInFlight
from handrail.turn.steps import Steps
from handrail.turn.stopwatch import Stopwatch
from handrail.turn.watch import Nobody, TurnWatch
from handrail.turn.wording import Wording
from handrail.types import (
    Card,
    Classification,
    Draft,
    Evidence,
    Label,
    Outcome,
    Question,
    RefusalReason,
    Request,
    Turn,
    Understanding,
    Verdict,
)
from handrail.types.people import NOBODY
from handrail.verify.withhold import supported_only, withhold

SURELY_GRAVE, GRAVE = 0.95, 0.6
"""Probabilities of high stakes: below the first a request that the articles answer is answered first, below the second
one that they do not is asked back about, both with a person in sight."""
NO_EVIDENCE = Evidence("", ())


class Engine:
    """Answers questions. Holds no state between turns."""

    def __init__(self, stages: Stages, settings: Settings, wording: Wording, clock: Callable[[], float]) -> None:
        self._stages, self._steps, self._tracer = stages, Steps(stages, settings), ShieldedTracer(stages.tracer)
        self._settings, self._wording, self._clock, self._topics = settings, wording, clock, settings.brand.topics
        self._bounds = Bounds(settings.llm.turn_max_requests, settings.llm.turn_max_tokens, settings.llm.turn_max_usd)

    async def run(self, question: Question, watch: TurnWatch | None = None) -> Turn:
        """Never raises for what a provider does; a refusal is a result.

        Secrets and contacts in what the visitor wrote reach no stage: an answer needs neither.
        """
        laps = Stopwatch(self._clock)
        spoken, unspoken = language.of_message(question.text, question.lang), language.unspoken(question.text)
        people = question.people if self._settings.brand.person_available else NOBODY
        question = replace(question, lang=spoken, unspoken=unspoken, people=people)
        wording = self._wording.into(spoken, people)
        ends = asyncio.get_running_loop().time() + self._settings.server.turn_deadline_s
        with (
            self._tracer.turn(question) as trace,
            logged_as(trace_id=trace.id, turn_id=question.turn_id),
            metering(self._bounds) as meter,
        ):
            question = replace(
                question, text=without_personal(question.text), earlier=tuple(map(without_personal, question.earlier))
            )
            turn = TurnInFlight(question, wording, trace, laps, watch or Nobody(), Showing(watch), ends)
            try:
                async with asyncio.timeout_at(ends):
                    result = await self._decide(turn)
            except (HandrailError, TimeoutError) as error:
                turn.go_on_without("assistant", getattr(error, "reason", "late"))
                result = outcome.unavailable(wording)
            turn.note_failed(meter.failed)
            if not result.answers:
                await turn.showing.withdraw()
            lang, written = self._stages.articles_lang, self._stages.writes
            result = noticed(result, turn.question, turn.classification, wording, lang, written=written)
            finished = turn.finished(outcome.limit_offer(replies.person_in_sight(result, turn), people), meter)
            trace.finish(finished)
        return finished

    async def _decide(self, turn: TurnInFlight) -> Outcome:
        understood = turn.understood = await self._steps.understand(turn)
        turn.question = replies.with_refusals(turn.question, understood)
        if understood.crisis:
            turn.classification = Classification(Label.HIGH_STAKES, 0.99, "local", rule=replies.CRISIS)
            return await self._grave(turn, (), ())
        fixed = replies.courtesy(understood, turn.question, turn.wording, self._topics)
        if fixed is not None:
            turn.classification = replies.classified(understood, fixed)
            return fixed
        parts = await self._look_up(turn, understood)
        lead = next((part for part in parts if part.grave), parts[0])
        turn.classification = replies.counted(lead)
        turn.standalone = " ".join(part.sense.text for part in parts)
        turn.retrieved = len({hit.passage.id for part in parts for hit in part.evidence.hits})
        answered = [part for part in parts if self._answers(turn, part)]
        left = [part for part in parts if part not in answered]
        likely, wanted = lead.sense.classification.probability, understood.wants_person or turn.question.declined
        if lead.grave and (likely >= SURELY_GRAVE or (likely >= GRAVE and not answered) or wanted):
            result = await self._grave(turn, answered, left)
        elif answered:
            result = await self._answer(turn, answered, left)
        elif all(part.static for part in parts):
            result = replies.turned_away(parts, turn.wording, self._topics)
        else:
            result = self._nothing_found(turn, parts, left)
        return self._steps.related(turn, replace(result, requests=replies.asked(parts, answered, result)))

    async def _look_up(self, turn: TurnInFlight, understood: Understanding) -> Sequence[Found]:
        """What is found for each request; for the whole message where its parts are not answered one by one."""
        async with turn.stage("retrieve") as span:
            parts = [await self._found(turn, request) for request in understood.requests]
            apart = {part.evidence.sections[0].section.id for part in parts if self._answers(turn, part)}
            if len(parts) > 1 and len(apart) + sum(part.grave for part in parts) < 2:
                parts = [await self._found(turn, understood.whole)]
            span.record(input=[part.sense.text for part in parts], output=replies.bands_of(parts))
            span.record(gates=asdict(self._stages.bands), requests=tracing.looked_up(parts))
        return parts

    async def _found(self, turn: TurnInFlight, request: Request) -> Found:
        """The sense that the articles answer best, weighed by how likely it is meant."""
        looked = [
            (sense, NO_EVIDENCE if surely_static(sense.classification) else await self._steps.search(turn, sense))
            for sense in request.senses
        ]
        sense, evidence = max(looked, key=lambda both: likeliness(*both))
        return found(request, sense, evidence, self._stages.bands)

    def _answers(self, turn: TurnInFlight, part: Found) -> bool:
        """Whether the answerer may answer from what was found: who quotes has to be surer than who writes."""
        enough = part.band is Band.ANSWERED or self._stages.answer.primary.least is part.band
        return part.label not in STATIC and enough and bool(part.evidence.hits)

    def _cards(self, parts: Sequence[Found]) -> Sequence[Card]:
        close = [part for part in parts if part.band is not Band.NOTHING and not part.static]
        return self._stages.quote.cards(*(part.evidence for part in close))

    def _nothing_found(self, turn: TurnInFlight, parts: Sequence[Found], near: Sequence[Found]) -> Outcome:
        cards = self._cards(near)
        return replies.nothing_found(parts, cards, turn.understood, turn.question, turn.wording, self._topics)

    async def _grave(self, turn: TurnInFlight, answered: Sequence[Found], left: Sequence[Found]) -> Outcome:
        """Words first, then what the articles say, the policy, and a person."""
        await self._steps.know_customer(turn)
        evidence = merged(answered) if answered else NO_EVIDENCE
        draft = await self._steps.draft(turn, evidence, grave=True)
        draft = turn.showing.numbered(enforce(draft, evidence, may_be_empty=True))
        verified = await self._steps.verify(turn, draft, evidence)
        draft = supported_only(verified)
        await turn.showing.settle(draft)
        shown = assemble(draft, evidence, evidence.probability)
        result = outcome.high_stakes(shown.text, shown.citations, evidence.probability)
        near = () if shown.citations else self._cards(left)
        return replace(result, claims=draft.claims, factuality=verified.factuality, pieces=shown.pieces, closest=near)

    async def _answer(self, turn: TurnInFlight, answered: Sequence[Found], left: Sequence[Found]) -> Outcome:
        evidence = merged(answered)
        draft = await self._steps.draft(turn, evidence)
        try:
            return await self._checked(turn, draft, answered, left)
        except (NotGrounded, NotSupported) as error:
            if draft.verbatim or not sure_of(answered):
                return outcome.withheld(error, turn.wording, evidence.probability)
            draft = await self._steps.quoted(turn, evidence, error.reason)
        return await self._checked(turn, draft, answered, left)

    async def _checked(
        self, turn: TurnInFlight, draft: Draft, answered: Sequence[Found], left: Sequence[Found]
    ) -> Outcome:
        """Raises NotGrounded and NotSupported for a draft that does not stand."""
        evidence, wording, sure = merged(answered), turn.wording, sure_of(answered)
        confidence = evidence.probability
        open_ = [part for part in left if part.label in (Label.ANSWERABLE, Label.OUT_OF_SCOPE)]
        draft = replies.with_open(draft, open_, wording)
        if draft.claims and draft.verbatim and not sure:
            return self._nothing_found(turn, answered, answered)
        if draft.self_verdict is Verdict.CANNOT or not draft.claims:
            return outcome.cannot_answer(RefusalReason.LOW_EVIDENCE, wording, confidence)
        draft = turn.showing.numbered(enforce(draft, evidence))
        await turn.showing.rest(draft)
        verified = await self._steps.verify(turn, draft, evidence)
        draft = withhold(verified, self._settings.verify, wording)
        critique = await self._steps.critique(turn, draft, evidence)
        if critique.verdict is Verdict.CANNOT:
            return outcome.cannot_answer(RefusalReason.LOW_EVIDENCE, wording, confidence)
        await turn.showing.settle(draft)
        shown = assemble(draft, evidence, confidence)
        if not sure and critique.verdict is not Verdict.FULLY:
            result = outcome.low_confidence(shown.text, shown.citations, confidence, wording)
        else:
            verdict = Verdict.PARTLY if verified.unsupported or open_ else critique.verdict
            suggested = await self._steps.suggest(turn, draft, shown.citations)
            result = outcome.answered(shown.text, verdict, shown.citations, confidence, suggested)
        result = outcome.proved(result, draft, verified.factuality, wording)
        return replace(result, pieces=shown.pieces, closest=self._cards(open_))
