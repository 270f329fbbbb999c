"""Is a passage that answers told from one that only looks right? The reader alone, as retrieval uses it.

Nothing is searched, classified or gated; the question stands beside one passage.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from eval.datasets.answerable import AnswerableCase
from eval.evaluators import NO_GOLD, question
from eval.metrics import answerable as metrics
from eval.metrics.answerable import Read
from eval.runner import Done, Evaluation, Job
from handrail.assembly.models import build_scoring
from handrail.assembly.parts import WORDS_PER_TOKEN
from handrail.errors import SettingsError
from handrail.models import Logit
from handrail.retrieve.section_reader import window
from handrail.types import Section


@dataclass(frozen=True, slots=True)
class Answered:
    score: float
    """Log-odds that it answers, where the reader was taught to tell; else the cross-encoder's logit."""
    taught: bool


RESULT = Answered


async def measure(job: Job[AnswerableCase]) -> Done[AnswerableCase, Answered]:
    """Raises SettingsError where no cross-encoder is configured."""
    scoring = await asyncio.to_thread(build_scoring, job.settings)
    if scoring is None:
        raise SettingsError('models.reranker = "none" reads nothing: set a cross-encoder')
    words = int(job.settings.models.rerank_max_tokens * WORDS_PER_TOKEN)

    async def work(case: AnswerableCase) -> Answered:
        asked = question(case.question, job.settings).text
        text = window(asked, Section("a#0", "a", case.title, (), case.passage, "", ()), words)
        [logit] = await asyncio.to_thread(lambda: list(scoring.passages([(asked, text)])))
        reading = logit.reading if isinstance(logit, Logit) else None
        return Answered(float(logit), False) if reading is None else Answered(reading, True)

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
