"""Does what is quoted fit what was asked?"""

from __future__ import annotations

from dataclasses import replace

import pytest

from handrail.answer.critique import LocalCritic, fit_signals
from handrail.settings import Generate
from handrail.types import Claim, Draft, Evidence, Hit, Verdict
from tests.calibrations import gate_of
from tests.stages import ask, passage

pytestmark = pytest.mark.anyio

PASSAGE = passage("a:a/0", "Choose the amount.", title="Refunds", headings=("Steps",))
EVIDENCE = Evidence("refund steps amount", (Hit(PASSAGE, final=0.9),), {"rerank_top": 4.0})
DRAFT = Draft([Claim("Choose the amount.", (PASSAGE.id,))], "extractive", signals={"unit_top": 3.0})
CRITIC = LocalCritic(
    gate_of({"unit_top": 1.0}),
    Generate.model_validate({"critique_partly": 0.2, "critique_fully": 0.5}),
)


def test_signals_are_those_of_the_evidence_the_answer_and_its_coverage() -> None:
    signals = fit_signals(DRAFT, EVIDENCE)

    assert signals["rerank_top"] == 4.0
    assert signals["unit_top"] == 3.0
    assert signals["coverage_answer"] == 1.0


def test_headings_count_only_where_their_passage_is_cited() -> None:
    uncited = replace(DRAFT, claims=[Claim("Choose the amount.", ("invented/1",))])

    assert fit_signals(uncited, EVIDENCE)["coverage_answer"] == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("unit_top", "verdict"),
    [
        (-3.0, Verdict.CANNOT),
        (-1.0, Verdict.PARTLY),
        (-0.01, Verdict.PARTLY),
        (0.0, Verdict.FULLY),
        (3.0, Verdict.FULLY),
    ],
)
async def test_two_thresholds_make_three_verdicts(unit_top: float, verdict: Verdict) -> None:
    critique = await CRITIC.critique(ask(), replace(DRAFT, signals={"unit_top": unit_top}), EVIDENCE)

    assert critique.verdict is verdict
    assert critique.probability is not None
    assert 0 < critique.probability < 1


async def test_a_better_fit_is_more_probable() -> None:
    worse, better = [
        await CRITIC.critique(ask(), replace(DRAFT, signals={"unit_top": unit_top}), EVIDENCE)
        for unit_top in (0.1, 0.2)
    ]

    assert worse.probability is not None
    assert better.probability is not None
    assert worse.probability < better.probability
