"""Are claims told apart that their passage states and that it does not? The local verifier, as a turn uses it.

With an LLM configured and `verify.llm` on, its judgement is part of what is measured. No index is needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from eval.datasets.claims import ClaimCase
from eval.evaluators import NO_GOLD, question
from eval.metrics import claims as metrics
from eval.metrics.claims import Checked
from eval.runner import Done, Evaluation, Job
from handrail.assembly.verifying import verifier_alone
from handrail.types import Claim, Draft, Evidence, Hit, Passage
from handrail.verify.label import SUPPORTED, UNVERIFIED


@dataclass(frozen=True, slots=True)
class Checking:
    support: str
    score: float
    by: str
    quote: str | None
    shown: bool = True
    """Whether it stays in an answer."""
    cited: int | None = None
    """The passage beside that it cites in the end."""


RESULT = Checking


async def measure(job: Job[ClaimCase]) -> Done[ClaimCase, Checking]:
    async with verifier_alone(job.settings) as verifier:

        async def work(case: ClaimCase) -> Checking:
            passages = _passages(case)
            draft = Draft([Claim(case.claim, (passages[0].id,), id="c1")], "evaluation")
            asked = question(case.question or "?", job.settings)
            evidence = Evidence("", [Hit(passage) for passage in passages])
            [claim] = (await verifier.verify(asked, draft, evidence)).draft.claims
            by = claim.proofs[0].by if claim.proofs else "nobody"
            score = 0.5 if claim.score is None else claim.score
            shown = claim.support == SUPPORTED or (
                claim.support == UNVERIFIED and score >= job.settings.verify.shown_from
            )
            places = [n for n, passage in enumerate(passages[1:]) if passage.id in claim.passage_ids]
            return Checking(claim.support, score, by, claim.quote, shown, places[0] if places else None)

        return await job.each("claims", work)


def score(done: Done[ClaimCase, Checking]) -> Evaluation:
    checked = [
        Checked(
            case.label == "supported",
            result.score,
            result.support,
            case.kind,
            result.shown,
            None if case.stated_beside is None else result.cited == case.stated_beside,
        )
        for case, result in done.measured
        if case.label is not None
    ]
    return Evaluation(
        metrics=metrics.score(checked),
        intervals=metrics.intervals(checked),
        rows=done.rows(_row),
        interrupted=done.interrupted,
    )


def _passages(case: ClaimCase) -> list[Passage]:
    """Of one article, the cited one first."""
    headings = [(case.heading, case.passage), *((section.heading, section.text) for section in case.beside)]
    return [
        Passage(f"a/{n}", "a", n, case.title, (heading,) if heading else (), text, "", 0)
        for n, (heading, text) in enumerate(headings, start=1)
    ]


def _row(case: ClaimCase, result: Checking) -> dict[str, Any]:
    row: dict[str, Any] = {
        "kind": case.kind,
        "label": case.label,
        "support": result.support,
        "score": round(result.score, 4),
        "by": result.by,
        "quote": result.quote,
        "shown": result.shown,
        "correct": None if case.label is None else result.support == case.label,
    }
    if case.beside:
        row["cited_beside"] = result.cited
    if case.label is None:
        row["not_applicable"] = NO_GOLD
    return row
