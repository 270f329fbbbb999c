"""What tells that a section answers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from handrail.retrieve.signals import LEAST, Seen, measure
from handrail.stores.snapshot import build
from handrail.types import Hit
from tests.stages import passage, section_of

REFUND = passage("a:a/0", "Refund a customer.", title="Refunds", headings=("Steps",))
PAYOUT = passage("a:b/0", "Payouts arrive weekly.", title="Payouts")
STOCK = passage("a:c/0", "Stock counts down.", title="Stock")
FOUND = [REFUND, PAYOUT, STOCK]
INDEX = build(FOUND, np.eye(3, dtype=np.float32))
COSINES = np.asarray([0.8, 0.6, 0.5], dtype=np.float32)
SEEN = [
    Seen(section_of(one), Hit(one, dense=dense, fused=fused, late=late), rerank, reading)
    for one, dense, fused, late, rerank, reading in zip(
        FOUND, (0.8, 0.6, 0.5), (0.9, 0.4, 0.2), (0.7, 0.4, 0.3), (5.0, -2.0, -30.0), (2.0, -1.0, None), strict=True
    )
]


def signals_of(*seen: Seen) -> dict[str, float]:
    """Of the first section, beside the others."""
    return measure(seen or SEEN, INDEX, COSINES)[0]


def test_every_section_has_every_signal_and_nothing_seen_has_none() -> None:
    found = measure(SEEN, INDEX, COSINES)

    assert len({frozenset(one) for one in found}) == 1
    assert measure([], INDEX, COSINES) == []


def test_what_the_models_said_is_kept_within_bounds() -> None:
    refund, payout, stock = measure(SEEN, INDEX, COSINES)

    assert (refund["reading"], refund["fused"]) == (2.0, 0.9)
    assert payout["reading"] == -1.0
    assert stock["reading"] == LEAST


def test_a_lead_is_over_the_best_of_the_other_sections() -> None:
    refund, payout, _ = measure(SEEN, INDEX, COSINES)

    assert refund["late_lead"] == pytest.approx(0.3)
    assert payout["late_lead"] == pytest.approx(-0.3)


def test_a_section_alone_leads_nobody() -> None:
    alone = signals_of(SEEN[0])

    assert (alone["late_lead"], alone["dense_lead"]) == (0.0, 0.0)


def test_nearness_is_measured_against_the_querys_other_scores() -> None:
    assert signals_of()["dense_lift"] == pytest.approx(0.8)


def test_a_section_that_keyword_search_alone_found_is_as_near_as_its_passage() -> None:
    by_words = replace(SEEN[0], hit=Hit(REFUND, keyword=9.0))

    assert signals_of(by_words)["dense_lift"] == pytest.approx(signals_of()["dense_lift"])
