"""How long claims in other words than their passages take to check; quotations are known by their words alone."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Sequence

import numpy as np

from eval.datasets import SAMPLE, load
from eval.datasets.claims import CLAIMS as PAIRS
from eval.datasets.claims import ClaimCase
from handrail.assembly.verifying import verifier_alone
from handrail.settings import Settings, load_settings
from handrail.types import Claim, Draft, Evidence, Hit, Passage, Question

CLAIMS = 3
"""Of one answer, each with a passage of its own."""


async def verified(
    settings: Settings, cases: Sequence[ClaimCase], answers: int, out: list[float], advance: Callable[[], None]
) -> None:
    """Milliseconds for each of as many answers, added to `out`; fewer where there are not enough `cases`."""
    apart = len(cases) // CLAIMS
    async with verifier_alone(settings) as verifier:
        for number in range(min(answers + 1, apart)):
            # Neighbouring rows share a passage; those of one answer are far apart.
            draft, evidence = answer([cases[number + apart * claim] for claim in range(CLAIMS)])
            start = time.perf_counter()
            await verifier.verify(Question("", "", ""), draft, evidence)
            if number:  # the first one warms up
                out.append((time.perf_counter() - start) * 1000)
                advance()


def answer(cases: Sequence[ClaimCase]) -> tuple[Draft, Evidence]:
    passages = [
        Passage(f"article/{n}", "article", n, "Article", (), case.passage, "", 1) for n, case in enumerate(cases)
    ]
    claims = [Claim(case.claim, (passage.id,)) for case, passage in zip(cases, passages, strict=True)]
    return Draft(claims, "benchmark"), Evidence("", tuple(Hit(passage) for passage in passages))


def main() -> None:
    """`python -m eval.benchmark.verifying`: these milliseconds alone, of the shipped pairs in other words."""
    took: list[float] = []
    cases = load(PAIRS, SAMPLE / "claims.dev.jsonl").cases
    asyncio.run(verified(load_settings(), cases, len(cases), took, lambda: None))
    low, high = (float(np.percentile(took, share)) for share in (50, 95))
    sys.stdout.write(f"three claims in other words: p50 {low:.1f} ms, p95 {high:.1f} ms, n = {len(took)}\n")


if __name__ == "__main__":
    main()
