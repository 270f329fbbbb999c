"""A gate turns signals into a probability, and its file is checked when it is loaded."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.assembly.fitted import UNREAD
from handrail.errors import SettingsError
from handrail.models.calibration import load_calibration, probability
from tests.calibrations import gate_of

GATE = gate_of(
    {"reading": 2.0, "coverage": 1.0},
    {"reading": 1.0, "coverage": 0.5},
    {"reading": 4.0, "coverage": 0.25},
)


def gate(**signals: float) -> float:
    return probability(GATE, signals)


def test_average_signals_are_a_coin_toss_and_missing_ones_count_as_average() -> None:
    assert gate(reading=1.0, coverage=0.5) == 0.5
    assert gate() == 0.5


def test_better_signals_are_more_probable() -> None:
    assert 0.5 < gate(reading=3.0) < gate(reading=5.0) < gate(reading=5.0, coverage=1.0)


@given(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9))
def test_extreme_signals_stay_probabilities(reading: float, coverage: float) -> None:
    assert 0 < gate(reading=reading, coverage=coverage) < 1


@pytest.mark.parametrize("name", ["answers", UNREAD])
def test_the_gates_that_ship_are_whole_and_their_bands_in_order(name: str) -> None:
    shipped = load_calibration(name)

    assert shipped.weights.keys() == shipped.means.keys() == shipped.scales.keys()
    assert all(scale > 0 for scale in shipped.scales.values())
    assert 0 < shipped.closest < shipped.threshold < 1


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"intercept": 1}', "\xff"])
def test_a_file_that_is_no_calibration_is_refused_by_name(tmp_path: Path, text: str) -> None:
    path = tmp_path / "mine.json"
    path.write_bytes(text.encode("latin-1"))

    with pytest.raises(SettingsError, match=r"mine\.json: not a calibration file"):
        load_calibration("answers", path)


def test_a_missing_file_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"none\.json"):
        load_calibration("answers", tmp_path / "none.json")
