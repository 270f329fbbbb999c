"""The signals gates read."""

from __future__ import annotations

from dataclasses import replace

import pytest

from handrail.retrieve.signals import measure
from handrail.types import Hit
from tests.stages import passage

REFUND = Hit(passage("a:a/0", "Refund a customer.", title="Refunds"), dense=0.8, keyword=9.0, rerank=5.0, final=0.9)
PAYOUT = Hit(passage("a:b/0", "Payouts arrive weekly.", title="Payouts"), dense=0.6, rerank=-2.0, final=0.4)
STOCK = Hit(passage("a:c/0", "Stock counts down.", title="Stock"), dense=0.5, rerank=-3.0, final=0.2)
RARITY = {"refund": 3.0, "custom": 1.0, "payout": 2.0}


def test_nothing_found_measures_zero_everywhere_but_the_query() -> None:
    signals = measure("refund a customer", [], RARITY)

    assert signals.pop("terms") == 2.0
    assert set(signals.values()) == {0.0}


def test_scores_of_the_ranked_list() -> None:
    signals = measure("refund a customer", [REFUND, PAYOUT, STOCK], RARITY)

    assert signals["rerank_top"] == 5.0
    assert signals["rerank_margin"] == 8.0
    assert signals["dense_top"] == 0.8
    assert signals["dense_third"] == 0.5
    assert signals["agreement"] == 1.0


def test_coverage_weighs_rare_words_more_and_looks_at_three_passages() -> None:
    signals = measure("payout refund", [REFUND, PAYOUT], RARITY)

    assert signals["coverage_top"] == pytest.approx(3 / 5)
    assert signals["coverage_all"] == 1.0


def test_neighbours_do_not_count() -> None:
    beside = replace(PAYOUT, neighbour=True, dense=0.99, rerank=9.0)

    assert measure("refund", [REFUND, beside], RARITY) == measure("refund", [REFUND], RARITY)


def test_a_list_without_reranking_has_no_reranking_signals() -> None:
    signals = measure("refund", [replace(REFUND, rerank=None)], RARITY)

    assert (signals["rerank_top"], signals["rerank_margin"]) == (0.0, 0.0)
    assert signals["dense_top"] == 0.8
