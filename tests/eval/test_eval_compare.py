"""Paired statistics against values worked out by hand, and runs that must not be compared."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from eval.compare import NotComparable, as_json, as_markdown, compare
from eval.metrics.paired import mcnemar, paired, worse
from eval.runner import Evaluation
from tests.eval.runs_of import PROVENANCE, a_run, held, ranked, routed


def test_mcnemar_is_the_exact_binomial_test_of_the_rows_that_changed() -> None:
    assert mcnemar(1, 9) == pytest.approx(2 * (1 + 10) / 2**10)
    assert mcnemar(5, 5) == 1.0
    assert mcnemar(0, 0) == 1.0


def test_the_interval_of_a_difference_is_the_same_every_time_and_close_to_the_normal_one() -> None:
    random = np.random.default_rng(1)
    a = random.normal(0, 1, 400)
    b = a + random.normal(0.2, 1, 400)

    one, other = paired(a, b), paired(a, b)

    spread = 1.96 * (b - a).std() / 20
    assert one == other
    assert one.interval == pytest.approx((one.difference - spread, one.difference + spread), abs=0.02)
    assert one.p is None


def test_pairing_sees_what_two_separate_intervals_would_not() -> None:
    a = np.repeat([0.0, 1.0], 100)
    b = a.copy()
    b[:8] = 1.0

    found = paired(a, b)

    assert found.interval is not None and found.interval[0] > 0
    assert (found.gained, found.lost) == (8, 0)
    assert found.p == pytest.approx(2 / 2**8)


def test_one_row_has_no_interval() -> None:
    assert paired(np.zeros(1), np.ones(1)).interval is None


def test_a_loss_is_tested_one_sided() -> None:
    lost = np.asarray([-1.0] * 6 + [0.0] * 90 + [1.0])

    assert worse(lost, True) == pytest.approx(8 / 2**7)
    assert worse(-lost, True) > 0.99
    assert worse(np.zeros(50), True) == worse(np.zeros(50), False) == 1.0


def test_sign_flipping_agrees_with_mcnemar_where_both_apply() -> None:
    lost = np.asarray([-1.0] * 9 + [1.0] * 2)

    assert worse(lost, False) == pytest.approx(worse(lost, True), abs=0.02)


def test_rows_gained_and_lost_are_listed_by_id() -> None:
    found = compare(held(a_run("a", routed("1100"))), held(a_run("b", routed("1010"))))

    printed = as_json(found)
    assert (printed["gained"], printed["lost"]) == (["r3"], ["r2"])
    assert printed["metrics"]["correct"]["difference"] == 0.0
    assert printed["metrics"]["macro_f1"]["n"] == 4
    assert "seed 20240229" in printed["method"]


def test_less_is_better_where_it_is() -> None:
    def rows(refused: str) -> list[dict[str, Any]]:
        return [
            {"id": f"f{n}", "line": n, "should_refuse": True, "refused": bit == "1", "correct": bit == "1"}
            for n, bit in enumerate(refused)
        ]

    found = compare(
        held(a_run("a", rows("0" * 30), "refusal")),
        held(a_run("b", rows("1" * 30), "refusal")),
        rows_by="false_answer",
    )

    assert found.metrics["false_answer"].difference == -1.0
    assert found.verdict("false_answer") == found.verdict("correct") == "better"
    assert len(found.gained) == 30 and not found.lost
    assert "precision" not in found.metrics or np.isnan(found.metrics["precision"].difference)


def test_what_differs_is_said() -> None:
    changed = {**PROVENANCE["kb"], "generation": "another"}
    other = {"kb": changed, "settings": {"retrieval": {"top_k": 9}}}

    found = compare(held(a_run("a", routed("10"))), held(a_run("b", routed("11"), provenance=other)))

    assert {item["part"] for item in found.differs} == {"kb.generation", "settings.retrieval.top_k"}
    assert "settings.retrieval.top_k: 5 in A, 9 in B" in as_markdown(found, {})


def test_answers_rated_by_different_judges_are_not_compared() -> None:
    runs = [
        held(a_run(name, routed("10"), evaluation=Evaluation(metrics={"n": 2, "judge": judge}, rows=routed("10"))))
        for name, judge in (("a", "local verifier"), ("b", "judge-b"))
    ]

    with pytest.raises(NotComparable, match="judge: local verifier in A, judge-b in B\n  `handrail eval score RUN`"):
        compare(*runs)


def test_by_what_code_a_run_was_scored_again_is_said() -> None:
    again = {"scored_by": {"code": "e" * 64}}

    found = compare(held(a_run("a", routed("10"))), held(a_run("b", routed("11"), provenance=again)))

    assert {item["part"] for item in found.differs} == {"scored_by.code"}


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"sha256": "ff" * 32}, "file hash: abababababab… in A, ffffffffffff… in B"),
        ({"command": "retrieval"}, "command: routing in A, retrieval in B"),
        ({"limit": 1}, "row limit: – in A, 1 in B"),
        ({"provenance": {"kb": {"name": "sample", "corpus": "e" * 64}}}, "corpus: dddddddddddd… in A"),
        ({"status": "interrupted"}, "run B was interrupted"),
    ],
)
def test_runs_that_do_not_belong_together_are_refused_by_the_part_that_differs(
    changes: dict[str, Any], part: str
) -> None:
    other = held(a_run("b", routed("11"), **{k: v for k, v in changes.items() if k != "status"}))
    if "status" in changes:
        other["status"] = changes["status"]

    with pytest.raises(NotComparable, match="not comparable") as refused:
        compare(held(a_run("a", routed("10"))), other)

    assert part in str(refused.value)


def test_shared_rows_of_an_interrupted_run_may_be_compared() -> None:
    other = held(a_run("b", routed("011")))
    other["status"] = "interrupted"

    found = compare(held(a_run("a", routed("10110"))), other, shared=True)

    assert found.metrics["correct"].n == 3
    assert found.only_in_one == 2


def test_a_row_that_failed_in_one_run_is_left_out_and_counted() -> None:
    rows = ranked([1.0, 0.5])
    failed = [rows[0], {"id": "q2", "line": 2, "error": "Chroma does not answer"}]

    found = compare(held(a_run("a", rows, "retrieval")), held(a_run("b", failed, "retrieval")))

    assert found.metrics["mrr"].n == 1
    assert found.only_in_one == 1


def test_a_figure_that_is_not_there_is_named() -> None:
    run = held(a_run("a", routed("10")))

    with pytest.raises(NotComparable, match=r"no row figure 'hit@1'; there are: correct"):
        compare(run, run, rows_by="hit@1")
