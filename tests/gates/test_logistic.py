"""The relevance gate's probability."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.calibration import load_calibration
from handrail.errors import SettingsError
from handrail.gates.logistic import LogisticCalibrator
from handrail.types import Evidence, Hit
from tests.calibrations import gate_of
from tests.stages import passage

CALIBRATION = gate_of(
    {"rerank_top": 2.0, "coverage_top": 1.0},
    {"rerank_top": 1.0, "coverage_top": 0.5},
    {"rerank_top": 4.0, "coverage_top": 0.25},
)
HIT = Hit(passage("a:a/0", "Text."))


def gate(**signals: float) -> float:
    return LogisticCalibrator(CALIBRATION).probability(Evidence("query", (HIT,), signals))


def test_average_signals_are_a_coin_toss_and_missing_ones_count_as_average() -> None:
    assert gate(rerank_top=1.0, coverage_top=0.5) == 0.5
    assert gate() == 0.5


def test_better_signals_are_more_probable() -> None:
    assert 0.5 < gate(rerank_top=3.0) < gate(rerank_top=5.0) < gate(rerank_top=5.0, coverage_top=1.0)


def test_without_hits_the_probability_is_zero_whatever_the_signals() -> None:
    assert LogisticCalibrator(CALIBRATION).probability(Evidence("query", (), {"rerank_top": 99.0})) == 0.0


@given(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9))
def test_extreme_signals_stay_probabilities(rerank: float, coverage: float) -> None:
    assert 0 < gate(rerank_top=rerank, coverage_top=coverage) < 1


@pytest.mark.parametrize("name", ["relevance", "critique"])
def test_the_calibrations_that_ship_fit_the_models_that_ship(name: str) -> None:
    shipped = load_calibration(name)

    assert shipped.weights.keys() == shipped.means.keys() == shipped.scales.keys()
    assert all(scale > 0 for scale in shipped.scales.values())
    assert shipped.n > 100


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"intercept": 1}', "\xff"])
def test_a_file_that_is_no_calibration_is_refused_by_name(tmp_path: Path, text: str) -> None:
    path = tmp_path / "mine.json"
    path.write_bytes(text.encode("latin-1"))

    with pytest.raises(SettingsError, match=r"mine\.json: not a calibration file"):
        load_calibration("relevance", path)


def test_a_missing_file_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"none\.json"):
        load_calibration("relevance", tmp_path / "none.json")
