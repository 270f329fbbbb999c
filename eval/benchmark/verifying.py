"""How long claims in other words than their passages take to check; quotations are known by their words alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from eval.datasets.claims import ClaimCase
from handrail.assembly.verifying import verifier_alone
from handrail.settings import Settings
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
