"""Logistic regression and its figures against scikit-learn and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from handrail.calibrate.fit import Data, auc, calibration_error, calibration_error_by_chance, fit, folds

RNG = np.random.default_rng(2)
MATRIX = RNG.normal(size=(300, 3))
TRUTH = (RNG.random(300) < 1 / (1 + np.exp(-(2 * MATRIX[:, 0] - MATRIX[:, 1])))).astype(float)
DATA = Data(MATRIX, TRUTH, np.ones(300), [str(n) for n in range(300)])


def test_it_finds_what_scikit_learn_finds() -> None:
    standard = (MATRIX - MATRIX.mean(axis=0)) / MATRIX.std(axis=0)
    theirs = LogisticRegression(C=1 / 12.0, tol=1e-8).fit(standard, TRUTH)

    ours = fit(DATA, 12.0)

    assert ours.weights == pytest.approx(theirs.coef_[0], abs=1e-3)
    assert ours.intercept == pytest.approx(theirs.intercept_[0], abs=1e-3)


def test_importance_counts_like_repeated_rows() -> None:
    twice = Data(np.vstack([MATRIX, MATRIX[:50]]), np.concatenate([TRUTH, TRUTH[:50]]), np.ones(350), ["x"] * 350)
    weighted = Data(MATRIX, TRUTH, np.where(np.arange(300) < 50, 2.0, 1.0), DATA.groups)

    assert fit(twice, 1.0).weights == pytest.approx(fit(weighted, 1.0).weights, abs=1e-6)


def test_a_signal_that_never_changes_is_harmless() -> None:
    flat = Data(np.column_stack([MATRIX, np.ones(300)]), TRUTH, np.ones(300), DATA.groups)

    assert np.isfinite(fit(flat, 1.0).probability(flat.matrix)).all()


@pytest.mark.parametrize(("penalty", "slope", "shift"), [(1e-3, 2.0, -1.0), (1e6, 1.0, 0.0)])
def test_log_odds_are_drawn_to_themselves_the_more_the_penalty_weighs(
    penalty: float, slope: float, shift: float
) -> None:
    rng = np.random.default_rng(5)
    logits = rng.normal(1.0, 2.0, 20_000)
    truth = (rng.random(20_000) < 1 / (1 + np.exp(-(2 * logits - 1)))).astype(float)

    found = fit(Data(logits[:, None], truth, np.ones(20_000), ()), penalty, toward_itself=True)

    stretch = found.weights[0] / found.scales[0]
    assert stretch == pytest.approx(slope, abs=0.1)
    assert found.intercept - stretch * found.means[0] == pytest.approx(shift, abs=0.1)


def test_folds_keep_groups_together_and_are_of_a_size() -> None:
    groups = [str(number % 50) for number in range(300)]

    found = folds(groups)

    assert len(set(zip(groups, found.tolist(), strict=True))) == 50
    assert np.bincount(found).tolist() == [60] * 5


def test_area_under_the_curve() -> None:
    scores = np.round(MATRIX[:, 0], 1)

    assert auc(scores, TRUTH) == pytest.approx(roc_auc_score(TRUTH, scores))
    assert auc(scores, np.ones(300)) is None


def test_few_rows_show_an_error_that_is_chance() -> None:
    rng = np.random.default_rng(3)
    right = rng.random(20_000)
    truth = (rng.random(20_000) < right).astype(float)

    few, many = calibration_error_by_chance(right[:100]), calibration_error_by_chance(right)

    assert many < 0.01 < 0.05 < few < 0.2
    assert calibration_error(right, truth) == pytest.approx(many, abs=0.01)
    assert calibration_error(1 - right, truth) > 10 * many
    assert calibration_error_by_chance(np.asarray([0.0, 1.0])) == 0.0


def test_calibration_error_by_hand() -> None:
    predicted, truth = np.asarray([0.15, 0.15, 0.95, 0.95]), np.asarray([0.0, 1.0, 1.0, 1.0])

    assert calibration_error(predicted, truth) == pytest.approx((0.35 + 0.05) / 2)
    assert calibration_error(predicted, truth, np.asarray([1.0, 0, 0, 0])) == pytest.approx(0.15)
