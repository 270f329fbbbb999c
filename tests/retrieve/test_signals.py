"""The signals gates read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from handrail.retrieve.signals import measure
from handrail.stores.snapshot import build
from handrail.types import Hit
from tests.stages import passage

REFUND = Hit(passage("a:a/0", "Refund a customer.", title="Refunds"), dense=0.8, keyword=9.0, rerank=5.0, final=0.9)
PAYOUT = Hit(passage("a:b/0", "Payouts arrive weekly.", title="Payouts"), dense=0.6, rerank=-2.0, final=0.4)
STOCK = Hit(passage("a:c/0", "Stock counts down.", title="Stock"), dense=0.5, rerank=-3.0, final=0.2)
FOUND = [hit.passage for hit in (REFUND, PAYOUT, STOCK)]
VECTORS = np.eye(3, dtype=np.float32)
INDEX = build(FOUND, VECTORS)
COSINES = np.asarray([0.8, 0.6, 0.5], dtype=np.float32)


def signals_of(query: str, hits: Sequence[Hit]) -> dict[str, float]:
    return measure(query, hits, INDEX, COSINES)


def test_nothing_found_leaves_only_what_the_query_says() -> None:
    signals = measure("refund a customer", [], build([], np.zeros((0, 3), dtype=np.float32)), COSINES[:0])

    assert signals.pop("terms") == 2.0
    assert signals.pop("missing_rarest") == 1.0
    assert signals.pop("unknown") == 1.0
    assert set(signals.values()) == {0.0}


def test_scores_of_the_ranked_list() -> None:
    signals = signals_of("refund a customer", [REFUND, PAYOUT, STOCK])

    assert signals["rerank_top"] == 5.0
    assert signals["rerank_margin"] == 8.0
    assert signals["rerank_second"] == -2.0
    assert signals["dense_top"] == 0.8
    assert signals["dense_third"] == 0.5
    assert signals["both"] == 1.0


def test_size_counts_from_where_a_base_is_no_longer_small() -> None:
    many = [passage(f"m:{number}/0", "Stock counts down.") for number in range(600)]
    large = measure("stock", [STOCK], build(many, np.ones((600, 3), dtype=np.float32)), np.ones(600, dtype=np.float32))

    assert signals_of("stock", [STOCK])["size"] == 0.0
    assert large["size"] == pytest.approx(np.log(2))


def test_only_a_high_logit_is_sure() -> None:
    assert signals_of("refund", [PAYOUT])["rerank_sure"] == 0.0
    assert signals_of("refund", [replace(REFUND, rerank=8.5), PAYOUT])["rerank_sure"] == 3.5


def test_nearness_is_measured_against_the_querys_other_scores() -> None:
    apart = measure("refund", [REFUND], INDEX, np.asarray([0.9, 0.5, 0.5], dtype=np.float32))
    alike = measure("refund", [REFUND], INDEX, np.asarray([0.9, 0.89, 0.88], dtype=np.float32))

    assert apart["dense_z"] > alike["dense_z"]


def test_coverage_looks_at_three_passages() -> None:
    signals = signals_of("payout refund", [REFUND, PAYOUT])

    assert signals["coverage_top"] == pytest.approx(0.5)
    assert signals["coverage_all"] == 1.0


@pytest.mark.parametrize(
    ("query", "missing", "found"),
    [
        ("Can I take Klarna for a refund", 1.0, 0.0),
        ("does Stock count down", 0.0, 1.0),
        ("Klarna", 0.0, 0.0),
        ("error TW-3001 when I refund", 1.0, 0.0),
        ("is there an iPhone app", 1.0, 0.0),
        ("can I take Klarna or Twint in June, or on Monday", 1.0, 0.0),
        ("does it count on Sunday or in March", 0.0, 0.0),
        ("CAN I TAKE KLARNA FOR A REFUND", 0.0, 0.0),
    ],
)
def test_a_name_inside_the_question_is_looked_for(query: str, missing: float, found: float) -> None:
    signals = signals_of(query, [REFUND, PAYOUT, STOCK])

    assert (signals["names_missing"], signals["names_found"]) == (missing, found)


def test_german_nouns_are_no_names() -> None:
    german = build(FOUND, VECTORS, lang="de")

    assert measure("Nehmt ihr Klarna", [REFUND], german, COSINES)["names_missing"] == 0.0


def test_the_rarest_word_that_is_missing() -> None:
    assert signals_of("refund a customer", [REFUND])["missing_rarest"] == 0.0
    assert signals_of("refund the pigeon", [REFUND])["missing_rarest"] == 1.0
    assert signals_of("refund the pigeon", [REFUND])["unknown"] == 0.5


def test_neighbours_do_not_count() -> None:
    beside = replace(PAYOUT, neighbour=True, dense=0.99, rerank=9.0)

    assert signals_of("refund", [REFUND, beside]) == signals_of("refund", [REFUND])


def test_a_list_without_reranking_has_no_reranking_signals() -> None:
    signals = signals_of("refund", [replace(REFUND, rerank=None)])

    assert (signals["rerank_top"], signals["rerank_margin"]) == (0.0, 0.0)
    assert signals["dense_top"] == 0.8
