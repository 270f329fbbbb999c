"""Maps fitted to labelled rows: kept where they win, for the model and the version they were fitted to."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from handrail.decide.calibration import FEWEST, Map, Maps, TooFewRows, fit, load_maps
from handrail.decide.questions import load_decisions
from handrail.errors import SettingsError

DECISIONS = load_decisions()
SUPPORTED, ROUTE = DECISIONS["supported"], DECISIONS["route"]
N = 600


def yes_rows(share_of: dict[float, float], n: int = N) -> tuple[list[dict[str, float]], list[str]]:
    """A model that says each of these, and how often it is yes then."""
    chance = np.random.default_rng(7)
    said = chance.choice(list(share_of), n)
    labels = ["yes" if chance.random() < share_of[float(one)] else "no" for one in said]
    return [{"yes": float(one), "no": 1 - float(one)} for one in said], labels


def test_a_model_that_is_too_sure_is_drawn_towards_what_happens() -> None:
    found, labels = yes_rows({0.02: 0.3, 0.5: 0.5, 0.98: 0.7})

    kept, best = fit(SUPPORTED, "m", found, labels)

    assert kept is best
    assert kept.loss_after < kept.loss_before - 0.1
    assert kept.calibrated({"yes": 0.98, "no": 0.02})["yes"] == pytest.approx(0.7, abs=0.08)


def test_a_bent_yes_is_mended_by_an_isotonic_map_that_never_falls() -> None:
    found, labels = yes_rows({0.1: 0.5, 0.3: 0.52, 0.6: 0.55, 0.9: 0.98}, 900)

    kept, _ = fit(SUPPORTED, "m", found, labels)

    assert kept is not None
    assert kept.kind == "isotonic"
    grid = [kept.calibrated({"yes": at, "no": 1 - at}) for at in np.linspace(0, 1, 101).tolist()]
    values = [row["yes"] for row in grid]
    assert values == sorted(values)
    assert all(0 < value < 1 and sum(row.values()) == pytest.approx(1) for value, row in zip(values, grid, strict=True))


def test_a_model_that_is_right_is_left_as_it_is() -> None:
    found, labels = yes_rows({0.1: 0.1, 0.5: 0.5, 0.9: 0.9})

    kept, best = fit(SUPPORTED, "m", found, labels)

    assert kept is None
    assert best.n == N


def test_a_choice_gets_a_temperature_which_keeps_the_order() -> None:
    chance, labels = np.random.default_rng(7), list(ROUTE.options)
    found, right = [], []
    for _ in range(N):
        top = labels[int(chance.integers(len(labels)))]
        found.append({label: 0.95 if label == top else 0.01 for label in labels})
        right.append(top if chance.random() < 0.6 else labels[int(chance.integers(len(labels)))])

    kept, _ = fit(ROUTE, "m", found, right)

    assert kept is not None
    assert (kept.kind, kept.temperature > 1.5) == ("temperature", True)
    said = kept.calibrated(found[0])
    assert max(said, key=said.__getitem__) == max(found[0], key=found[0].__getitem__)
    assert 0.5 < max(said.values()) < 0.8


def test_too_few_rows_fit_nothing() -> None:
    found, labels = yes_rows({0.5: 0.5}, FEWEST - 1)

    with pytest.raises(TooFewRows, match=f"supported: {FEWEST - 1} labelled rows; {FEWEST}"):
        fit(SUPPORTED, "m", found, labels)


def halved(model: str = "m", version: int = SUPPORTED.version) -> Map:
    return Map(
        decision="supported", version=version, model=model, kind="isotonic", given=(0.0, 1.0), holds=(0.0, 0.5),
        n=300, loss_before=1.0, loss_after=0.5,
    )  # fmt: skip


def test_maps_are_kept_and_hold_for_their_model_and_version_alone(tmp_path: Path) -> None:
    path = tmp_path / "fitted" / "decisions.json"
    Maps().replaced(SUPPORTED, "m", halved()).save(path)
    maps = load_maps(path)
    said = {"yes": 0.8, "no": 0.2}

    assert maps.calibrated(SUPPORTED, "m", said)["yes"] == pytest.approx(0.4)
    assert maps.calibrated(SUPPORTED, "other", said) == said
    newer = SUPPORTED.model_copy(update={"version": SUPPORTED.version + 1})
    assert maps.calibrated(newer, "m", said) == said
    assert maps.replaced(newer, "m", None).calibrated(SUPPORTED, "m", said) == said


def test_no_file_is_no_map_and_a_broken_one_is_said(tmp_path: Path) -> None:
    path = tmp_path / "decisions.json"
    assert load_maps(path).calibrated(SUPPORTED, "m", {"yes": 1.0, "no": 0.0}) == {"yes": 1.0, "no": 0.0}

    path.write_text('[{"decision": "supported"}]')
    with pytest.raises(SettingsError, match=r"decisions\.json"):
        load_maps(path)
