"""Metrics against values worked out by hand."""

from __future__ import annotations

from math import log2

import numpy as np
import pytest

from eval.metrics import refusal, retrieval, routing
from eval.metrics.bootstrap import interval, mean_interval
from eval.metrics.refusal import Judged
from eval.metrics.retrieval import Ranked
from eval.metrics.routing import Routed, expected_calibration_error
from eval.metrics.timing import by_stage, percentiles

ROUTED = [
    Routed("answerable", "answerable", 0.9),
    Routed("answerable", "answerable", 0.9),
    Routed("answerable", "nonsense", 0.6),
    Routed("nonsense", "nonsense", 0.6),
    Routed("irrelevant", "nonsense", 0.6),
]
JUDGED = [
    Judged(True, True, "refuse"),
    Judged(True, True, "refuse"),
    Judged(True, False, "boundary"),
    Judged(False, True, "answer"),
    Judged(False, False, "answer"),
    Judged(False, False, "answer"),
    Judged(False, False),
]


def test_routing_counts_each_label_and_averages_over_those_that_occur() -> None:
    scores = routing.score(ROUTED)

    assert scores["n"] == 5
    assert scores["accuracy"] == pytest.approx(3 / 5)
    # F1: answerable 2·1·(2/3)/(5/3) = 0.8, nonsense 2·(1/3)·1/(4/3) = 0.5, irrelevant 0.
    assert scores["macro_f1"] == pytest.approx((0.8 + 0.5 + 0.0) / 3)
    assert scores["per_class"]["answerable"] == pytest.approx(
        {"precision": 1.0, "recall": 2 / 3, "f1": 0.8, "support": 3}
    )
    assert scores["per_class"]["nonsense"] == pytest.approx(
        {"precision": 1 / 3, "recall": 1.0, "f1": 0.5, "support": 1}
    )


def test_a_label_never_predicted_has_no_precision_and_an_absent_one_has_nothing() -> None:
    per_class = routing.score(ROUTED)["per_class"]

    assert per_class["irrelevant"] == {"precision": None, "recall": 0.0, "f1": 0.0, "support": 1}
    assert per_class["high_stakes"] == {"precision": None, "recall": None, "f1": None, "support": 0}


def test_calibration_error_is_the_mean_gap_weighted_by_bin() -> None:
    # At 0.9: two rows, both right, gap 0.1. At 0.6: three rows, one right, gap 0.6 - 1/3.
    assert expected_calibration_error(ROUTED) == pytest.approx(2 / 5 * 0.1 + 3 / 5 * (0.6 - 1 / 3))


def test_a_probability_of_one_falls_into_the_last_bin() -> None:
    assert expected_calibration_error([Routed("nonsense", "nonsense", 1.0)]) == pytest.approx(0.0)


def test_no_labelled_rows_give_no_numbers_rather_than_zeros() -> None:
    scores = routing.score([])

    assert (scores["n"], scores["accuracy"], scores["macro_f1"], scores["ece"]) == (0, None, None, None)
    assert routing.intervals([]) == {"accuracy": None, "macro_f1": None, routing.SERIOUS: None}


def test_a_ranking_is_scored_by_place() -> None:
    (row,) = retrieval.score_rows([Ranked(frozenset({"a", "b"}), ["c", "a", "d", "e", "f", "b"])])

    assert row["hit@1"] == 0.0
    assert row["hit@3"] == row["hit@5"] == row["hit@10"] == 1.0
    assert row["recall@5"] == pytest.approx(0.5)
    assert row["mrr"] == pytest.approx(0.5)
    assert row["ndcg@10"] == pytest.approx((1 / log2(3) + 1 / log2(7)) / (1 + 1 / log2(3)))
    assert row["all_gold@5"] == 0.0


def test_all_gold_among_the_first_five_is_all_gold() -> None:
    (row,) = retrieval.score_rows([Ranked(frozenset({"a", "b"}), ["a", "c", "d", "e", "b"])])

    assert row["all_gold@5"] == row["recall@5"] == 1.0


def test_nothing_found_and_found_too_late_score_zero_and_still_count() -> None:
    late = [f"other-{n}" for n in range(10)] + ["a"]

    scores = retrieval.score_rows([Ranked(frozenset({"a"}), []), Ranked(frozenset({"a"}), late)])

    assert [row["mrr"] for row in scores] == [0.0, 0.0]
    assert retrieval.mean(scores)["hit@10"] == 0.0


def test_means_are_over_rows_and_absent_without_any() -> None:
    scores = retrieval.score_rows([Ranked(frozenset({"a"}), ["a"]), Ranked(frozenset({"a"}), ["b", "a"])])

    assert retrieval.mean(scores)["mrr"] == pytest.approx(0.75)
    assert retrieval.mean([])["mrr"] is None


def test_refusals_are_scored_as_detections() -> None:
    scores = refusal.score(JUDGED)

    assert scores["precision"] == pytest.approx(2 / 3)
    assert scores["recall"] == pytest.approx(2 / 3)
    assert scores["false_answer_rate"] == pytest.approx(1 / 3)
    assert scores["false_refusal_rate"] == pytest.approx(1 / 4)
    assert scores["by_bucket"] == {
        "refuse": {"n": 2, "refused": 2, "accuracy": 1.0},
        "boundary": {"n": 1, "refused": 0, "accuracy": 0.0},
        "answer": {"n": 3, "refused": 1, "accuracy": pytest.approx(2 / 3)},
    }


def test_nothing_refused_leaves_precision_open() -> None:
    scores = refusal.score([Judged(True, False), Judged(True, False)])

    assert (scores["precision"], scores["recall"], scores["false_refusal_rate"]) == (None, 0.0, None)


def test_the_interval_of_a_share_is_that_of_the_binomial() -> None:
    assert mean_interval(np.asarray([0.0, 1.0] * 50)) == pytest.approx((0.40, 0.60), abs=0.02)


def test_the_interval_of_the_same_results_is_always_the_same() -> None:
    assert refusal.intervals(JUDGED) == refusal.intervals(JUDGED)
    assert mean_interval(np.ones(9)) == (1.0, 1.0)


def test_draws_without_a_value_are_left_out_of_the_interval() -> None:
    bounds = interval(4, lambda rows: 7.0 if 0 in rows else float("nan"))

    assert bounds == (7.0, 7.0)
    assert interval(4, lambda rows: float("nan")) is None


def test_one_row_has_no_interval() -> None:
    assert mean_interval(np.ones(1)) is None


def test_percentiles_lie_between_neighbours() -> None:
    assert percentiles([40.0, 10.0, 30.0, 20.0]) == {"p50_ms": 25.0, "p95_ms": 38.5}
    assert percentiles([]) == {"p50_ms": None, "p95_ms": None}


def test_stages_are_timed_over_the_turns_that_had_them() -> None:
    stages = by_stage([{"classify": 2.0, "total": 9.0}, {"classify": 4.0, "generate": 5.0, "total": 9.0}])

    assert stages == {"classify": {"p50_ms": 3.0, "p95_ms": 3.9}, "generate": {"p50_ms": 5.0, "p95_ms": 5.0}}
