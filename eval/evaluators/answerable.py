"""Is a passage that answers told from one that only looks right? The reader alone, as reranking uses it.

Nothing is searched, classified or gated; the question stands beside one passage.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from eval.datasets.answerable import AnswerableCase
from eval.evaluators import NO_GOLD, question
from eval.metrics import answerable as metrics
from eval.metrics.answerable import Read
from eval.runner import Done, Evaluation, Job
from handrail.assembly import passage_reader
from handrail.types import Hit, Passage


@dataclass(frozen=True, slots=True)
class Answered:
    score: float
    """Log-odds that it answers, where the reader was taught to tell; else the cross-encoder's logit."""
    taught: bool


RESULT = Answered


async def measure(job: Job[AnswerableCase]) -> Done[AnswerableCase, Answered]:
    with passage_reader(job.settings) as reader:

        async def work(case: AnswerableCase) -> Answered:
            asked = question(case.question, job.settings)
            passage = Passage("a/1", "a", 1, case.title, (), case.passage, "", 0)
            [hit] = await reader.rerank(asked.text, [Hit(passage)])
            return Answered(hit.rerank or 0.0, False) if hit.reading is None else Answered(hit.reading, True)

        return await job.each("answerable", work)


def score(done: Done[AnswerableCase, Answered]) -> Evaluation:
    read = [Read(case.answerable, found.score) for case, found in done.measured if case.answerable is not None]
    return Evaluation(
        metrics=metrics.score(read),
        intervals=metrics.intervals(read),
        rows=done.rows(_row),
        interrupted=done.interrupted,
        conditions={"reader": "taught" if all(found.taught for _, found in done.measured) else "cross-encoder"},
    )


def _row(case: AnswerableCase, found: Answered) -> dict[str, Any]:
    row: dict[str, Any] = {"answerable": case.answerable, "score": round(found.score, 4)}
    return row if case.answerable is not None else {**row, "not_applicable": NO_GOLD}
