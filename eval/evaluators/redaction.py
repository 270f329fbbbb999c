"""Is what people paste by mistake taken out, in each language, and nothing else? No index and no model is needed."""

from __future__ import annotations

from typing import Any

from eval.datasets.redaction import RedactionCase
from eval.metrics import redaction as metrics
from eval.metrics.redaction import Redacted
from eval.runner import Done, Evaluation, Job
from handrail.text.contacts import without_personal

RESULT = Redacted


async def measure(job: Job[RedactionCase]) -> Done[RedactionCase, Redacted]:
    async def work(case: RedactionCase) -> Redacted:
        left = without_personal(case.plain)
        return Redacted(case.lang, case.personal, left, metrics.removed(case.plain, left))

    return await job.each("redaction", work)


def score(done: Done[RedactionCase, Redacted]) -> Evaluation:
    rows = [result for _, result in done.measured]
    return Evaluation(
        metrics=metrics.score(rows),
        details=metrics.details(rows),
        intervals=metrics.intervals(rows),
        rows=done.rows(_row),
        interrupted=done.interrupted,
    )


def _row(case: RedactionCase, result: Redacted) -> dict[str, Any]:
    return {
        "lang": case.lang,
        "missed": [words for (_, words), (_, gone) in zip(case.personal, result.gone, strict=True) if not gone],
        "wrongly_removed": [one for one, right in zip(result.removed, result.rightly, strict=True) if not right],
    }
