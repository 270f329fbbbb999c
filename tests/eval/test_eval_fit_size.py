"""A large knowledge base looks more like answering everything: how much is fitted over gates that stay as they are."""

from __future__ import annotations

import numpy as np
import pytest

from eval.fit_size import weight, with_size
from handrail.calibrate import Asked, Observed
from handrail.calibration import probability
from tests.calibrations import gate_of

GATE = gate_of({"reader_top": 1.0})


def asked(number: int, odds: float, size: float, *, answerable: bool) -> Observed:
    row = Asked(f"q{number}", ("a",) if answerable else (), answerable=answerable)
    return Observed(row, {"reader_top": odds, "size": size}, found=True, cited=True, static=0.0, overall={})


def rows(rise: float) -> list[Observed]:
    """The same questions of a small base and of a large one, where all look `rise` likelier to be answered."""
    odds = np.random.default_rng(1).logistic(size=2000)
    truth = np.random.default_rng(2).uniform(size=2000) < 1 / (1 + np.exp(-odds))
    return [
        asked(number, float(one) + size * rise, size, answerable=bool(answers))
        for size in (0.0, 3.0)
        for number, (one, answers) in enumerate(zip(odds, truth, strict=True))
    ]


@pytest.mark.parametrize("rise", [0.0, 0.3])
def test_what_size_alone_adds_is_taken_away(rise: float) -> None:
    found = rows(rise)

    assert weight(found, ["small"] * 2000 + ["large"] * 2000, GATE) == pytest.approx(-rise, abs=0.06)


def test_an_earlier_weight_is_replaced() -> None:
    found, owners = rows(0.3), ["small"] * 2000 + ["large"] * 2000

    assert weight(found, owners, with_size(GATE, 9.0)) == pytest.approx(weight(found, owners, GATE), abs=1e-3)


def test_small_bases_are_judged_as_before() -> None:
    gate = with_size(GATE, -0.2)

    assert probability(gate, {"reader_top": 1.0, "size": 0.0}) == probability(GATE, {"reader_top": 1.0})
    assert probability(gate, {"reader_top": 1.0}) == probability(GATE, {"reader_top": 1.0})
    assert probability(gate, {"reader_top": 1.0, "size": 3.0}) < probability(GATE, {"reader_top": 1.0})
