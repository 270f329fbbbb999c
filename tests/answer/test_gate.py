"""Three bands by one probability, as fitted or as an operator wants them."""

from __future__ import annotations

import pytest

from handrail.answer.gate import Band, Bands
from handrail.types import Evidence
from tests.calibrations import gate_of
from tests.stages import NOTHING, STEPS, found

FITTED = gate_of({"rerank": 1.0}, threshold=0.7, closest=0.2)


@pytest.mark.parametrize(
    ("probability", "band"),
    [(0.9, Band.ANSWERED), (0.7, Band.ANSWERED), (0.69, Band.CLOSEST), (0.2, Band.CLOSEST), (0.19, Band.NOTHING)],
)
def test_the_likeliest_section_decides(probability: float, band: Band) -> None:
    assert Bands.of(FITTED, None, None).band(found((STEPS, probability))) is band


def test_nothing_found_is_nothing() -> None:
    assert Bands(0.0001, 0.00001).band(NOTHING) is Band.NOTHING


def test_an_operators_own_numbers_take_the_place_of_the_fitted_ones() -> None:
    assert Bands.of(FITTED, 0.9, None) == Bands(0.9, 0.2)
    assert Bands.of(FITTED, None, 0.1) == Bands(0.7, 0.1)


def test_the_lower_bound_never_passes_the_upper_one() -> None:
    assert Bands.of(FITTED, 0.1, None) == Bands(0.1, 0.1)


def test_what_is_worth_a_card_goes_by_the_best_section_and_the_bound() -> None:
    bands = Bands(0.7, 0.2)

    assert bands.least(found((STEPS, 0.6))) == 0.05
    assert bands.least(found((STEPS, 0.1))) == 0.025
    assert bands.least(Evidence("q", ())) == 0.0
