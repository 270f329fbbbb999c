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


@dataclass(frozen=True, slots=True)
class Checking:
    support: str
    score: float
    by: str
    quote: str | None


RESULT = Checking


async def measure(job: Job[ClaimCase]) -> Done[ClaimCase, Checking]:
    async with verifier_alone(job.settings) as verifier:

        async def work(case: ClaimCase) -> Checking:
            passage = Passage("a/1", "a", 1, "", (), case.passage, "", 0)
            draft = Draft([Claim(case.claim, (passage.id,), id="c1")], "evaluation")
            asked = question(case.claim or "?", job.settings)
            [claim] = (await verifier.verify(asked, draft, Evidence("", (Hit(passage),)))).draft.claims
            by = claim.proofs[0].by if claim.proofs else "nobody"
            return Checking(claim.support, 0.5 if claim.score is None else claim.score, by, claim.quote)

        return await job.each("claims", work)


def score(done: Done[ClaimCase, Checking]) -> Evaluation:
    checked = [
        Checked(case.label == "supported", result.score, result.support, case.kind)
        for case, result in done.measured
        if case.label is not None
    ]
    return Evaluation(
        metrics=metrics.score(checked),
        intervals=metrics.intervals(checked),
        rows=done.rows(_row),
        interrupted=done.interrupted,
    )


def _row(case: ClaimCase, result: Checking) -> dict[str, Any]:
    row: dict[str, Any] = {
        "kind": case.kind,
        "label": case.label,
        "support": result.support,
        "score": round(result.score, 4),
        "by": result.by,
        "quote": result.quote,
        "correct": None if case.label is None else result.support == case.label,
    }
    if case.label is None:
        row["not_applicable"] = NO_GOLD
    return row
