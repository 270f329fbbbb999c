"""How good are answers, and do they prove what they say? Whole turns; an LLM judge where the settings name one."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from eval.datasets.answers import AnswerCase
from eval.evaluators import by_category
from eval.evaluators.bench import Asked, Bench, bench
from eval.evaluators.claims import Pair, Said, pairs, said
from eval.metrics import answers as metrics
from eval.metrics.answers import Scored
from eval.metrics.grounding import stated
from eval.metrics.ruler import beginning, figures
from eval.metrics.text import plain, statements
from eval.runner import Done, Evaluation, Job, failure
from eval.spending import spent
from handrail.llm.judge import AT_ONCE, AnswerRating, Judge, ReferenceRating, connected, same_as_answering
from handrail.llm.meter import metering
from handrail.types import Passage

LOCAL = "local"


@dataclass(frozen=True, slots=True)
class Judged:
    by: str
    rating: AnswerRating | None = None
    against: ReferenceRating | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    asked: Asked
    relevance: float | None = None
    """Of the answer to the question, in [0, 1], by the cross-encoder."""
    judged: Judged | None = None


RESULT = Answered


async def measure(job: Job[AnswerCase]) -> Done[AnswerCase, Answered]:
    async with bench(job.settings) as turns:

        async def work(case: AnswerCase) -> Answered:
            asked = await turns.ask(case.question)
            refused = asked.turn.outcome.refused
            return Answered(asked, None if refused else await _relevance(turns, case.question, asked))

        return await job.each("answers", work)


async def judge(job: Job[AnswerCase], done: Done[AnswerCase, Answered]) -> Done[AnswerCase, Answered]:
    """Rated by the judge of the settings, several at once; as it is without one, or once the spending ends."""
    asked = connected(job.settings)
    if asked is None or not done.measured:
        return done
    advance = job.bars.phase("judged", len(done.measured))

    async def one(case: AnswerCase, found: Answered) -> tuple[AnswerCase, Answered]:
        judged = await _judged(asked, case, found)
        advance()
        return case, replace(found, judged=judged)

    measured: list[tuple[AnswerCase, Answered]] = []
    try:
        for start in range(0, len(done.measured), AT_ONCE):
            if job.judging is not None and not job.judging.allows():
                done.interrupted = True
                return done
            with metering() as meter:
                measured += await asyncio.gather(*(one(*row) for row in done.measured[start : start + AT_ONCE]))
            if job.judging is not None:
                # A judge that fails says nothing about the model that answers.
                job.judging.add(replace(spent(meter), without={}))
    except asyncio.CancelledError:
        done.interrupted = True
        return done
    finally:
        await asked.aclose()
    if same_as_answering(job.settings):
        done.notes.append("the judge is the answering model: it rates its own words, which flatters them")
    return replace(done, measured=measured)


def score(done: Done[AnswerCase, Answered]) -> Evaluation:
    scored = [_scored(case, found) for case, found in done.measured]
    judges = {found.judged.by for _, found in done.measured if found.judged is not None}
    failed = sum(found.judged is not None and found.judged.error is not None for _, found in done.measured)
    by_line = {case.line: row for (case, _), row in zip(done.measured, scored, strict=True)}
    notes = [f"{failed} rows could not be judged, and are left out of the judge's figures"] if failed else []
    return Evaluation(
        metrics={**metrics.score(scored), "judge": ", ".join(sorted(judges)) or LOCAL},
        details=metrics.details(scored)
        | by_category(
            [(case.category, row) for (case, _), row in zip(done.measured, scored, strict=True)], metrics.of_category
        ),
        intervals=metrics.intervals(scored),
        rows=done.rows(lambda case, found: _row(case, found, by_line[case.line])),
        interrupted=done.interrupted,
        notes=[*done.notes, *notes],
    )


async def _relevance(turns: Bench, question: str, asked: Asked) -> float:
    (logit,) = await turns.parts.read.submit([(question, plain(asked.turn.outcome.answer))])
    return 1 / (1 + math.exp(-float(logit)))


async def _judged(judge: Judge, case: AnswerCase, found: Answered) -> Judged:
    claims = said(found.asked.turn.outcome)
    checked = pairs(claims)
    try:
        rating = await _rated(judge, case.question, checked) if checked else None
        against = await _compared(judge, case, found.asked) if case.answer and statements(case.answer) else None
    except Exception as error:
        # One rating that fails must not cost the others.
        return Judged(judge.name, error=failure(error))
    return Judged(judge.name, rating, against)


async def _rated(judge: Judge, question: str, checked: Sequence[Pair]) -> AnswerRating:
    passages = list({pair.passage.id: pair.passage for pair in checked}.values())
    number = {passage.id: at for at, passage in enumerate(passages, 1)}
    shown = [{"claim": pair.claim.text, "passage": number[pair.passage.id]} for pair in checked]
    return await judge.rate("judge_answer", AnswerRating, question=question, before="", passages=passages, pairs=shown)


async def _compared(judge: Judge, case: AnswerCase, asked: Asked) -> ReferenceRating:
    return await judge.rate(
        "judge_reference",
        ReferenceRating,
        question=case.question,
        answer="" if asked.turn.outcome.refused else asked.turn.outcome.answer,
        statements=statements(case.answer or ""),
        passages=asked.passages,
    )


def _scored(case: AnswerCase, found: Answered) -> Scored:
    outcome = found.asked.turn.outcome
    claims = said(outcome)
    checked = pairs(claims)
    row = Scored(
        answered=not outcome.refused,
        claims=len(claims),
        cited=sum(bool(claim.passages) for claim in claims),
        pairs=len(checked),
        correct=sum(pair.supported for pair in checked),
        faithfulness=_faithfulness(claims),
        relevancy=None if found.relevance is None else 1 + 4 * found.relevance,
    )
    row = _against_reference(row, case, found.asked)
    return row if found.judged is None else _by_judge(row, case, found.judged, len(checked))


def _against_reference(row: Scored, case: AnswerCase, asked: Asked) -> Scored:
    """Beside the answer stands the beginning of the passage that was found first, scored in the same way."""
    answer = asked.turn.outcome.answer if row.answered else ""
    found = figures(answer, case.answer, case.keys)
    first = beginning(asked.passages[0].text) if asked.passages else ""
    context = "\n".join(_readable(passage) for passage in asked.passages)
    return replace(
        row,
        statements=found.get("statements"),
        keys=found.get("keys"),
        token_f1=found.get("token_f1"),
        rouge1=found.get("rouge1"),
        bleu=found.get("bleu"),
        ruler=figures(first, case.answer, case.keys),
        factuality=found.get("statements"),
        context_recall=_share([stated(one, context) for one in statements(case.answer or "")]),
    )


def _by_judge(row: Scored, case: AnswerCase, judged: Judged, checked: int) -> Scored:
    """The judge's figures in place of the local ones; what it could not rate is absent, not local."""
    rating, against, wanted = judged.rating, judged.against, statements(case.answer or "")
    wrong = {number for number in rating.unsupported if 1 <= number <= checked} if rating else set()
    return replace(
        row,
        pairs=checked if rating else 0,
        correct=checked - len(wrong) if rating else 0,
        faithfulness=float(rating.faithfulness) if rating else None,
        relevancy=float(rating.relevancy) if rating else None,
        factuality=(0.0 if against.contradicts else _counted(against.given, wanted)) if against else None,
        context_recall=_counted(against.held, wanted) if against else None,
    )


def _row(case: AnswerCase, found: Answered, scored: Scored) -> dict[str, Any]:
    outcome = found.asked.turn.outcome
    claims = said(outcome)
    row: dict[str, Any] = {
        "answer": outcome.answer,
        "refused": outcome.refused,
        "routing": outcome.routing.value,
        "confidence": round(outcome.confidence, 4),
        "cited": list(dict.fromkeys(citation.passage.article_id for citation in outcome.citations)),
        "claims": [{"text": claim.text, "support": dict(claim.support)} for claim in claims],
        "context": [passage.id for passage in found.asked.passages],
        "pairs": scored.pairs,
        "correct": scored.correct,
        **{name: getattr(scored, name) for name in (*metrics.MEANS, *metrics.BESIDE)},
        "ruler": dict(scored.ruler),
        "ms": found.asked.turn.latency_ms["total"],
    }
    if found.judged is not None and found.judged.error is not None:
        row["judge_error"] = found.judged.error
    return row


def _faithfulness(claims: Sequence[Said]) -> float | None:
    return 1 + 4 * sum(claim.supported for claim in claims) / len(claims) if claims else None


def _readable(passage: Passage) -> str:
    return " ".join((passage.title, *passage.headings, passage.text))


def _share(values: Sequence[bool]) -> float | None:
    return sum(values) / len(values) if values else None


def _counted(numbers: Sequence[int], wanted: Sequence[str]) -> float | None:
    return len({number for number in numbers if 1 <= number <= len(wanted)}) / len(wanted) if wanted else None
