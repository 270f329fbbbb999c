"""The mean of networks that were taught from one start."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from handrail.models.taught import Taught, load_taught
from handrail.models.tuned import Delta, Floats
from training.encoders.average import average, lowered, together

QUERY = "encoder.layer.4.attention.self.query"


def network(seed: int, *, layers: int = 10, name: str = QUERY) -> Taught:
    rng = np.random.default_rng(seed)

    def drawn(*shape: int) -> Floats:
        return rng.normal(size=shape).astype(np.float32)

    return Taught("model", Delta(layers, {name: (drawn(6, 2), drawn(2, 5))}), drawn(2, 12), drawn(2), f"set {seed}")


def changed(of: Taught) -> Floats:
    down, up = of.delta.parts[QUERY]
    return down @ up


def test_matrices_and_reading_are_the_mean_of_both() -> None:
    one, other = network(1), network(2)

    found = average([one, other])

    assert changed(found) == pytest.approx((changed(one) + changed(other)) / 2, abs=1e-5)
    assert found.weights == pytest.approx((one.weights + other.weights) / 2)
    assert found.intercepts == pytest.approx((one.intercepts + other.intercepts) / 2)
    assert (found.model, found.delta.layers, found.fitted_on) == ("model", 10, "set 1; set 2")


@pytest.mark.parametrize(
    "other", [network(2, layers=9), network(2, name="encoder.layer.5.x"), replace(network(2), model="another")]
)
def test_networks_of_different_kinds_have_no_mean(other: Taught) -> None:
    with pytest.raises(ValueError, match="same matrices of one model"):
        average([network(1), other])


def test_what_was_learnt_later_is_added_to_what_was_learnt_before() -> None:
    one, other = network(1, layers=12), network(2)

    both = together([one.delta, other.delta])

    assert both.layers == 10
    assert changed(replace(one, delta=both)) == pytest.approx(changed(one) + changed(other), abs=1e-5)


def test_a_rank_is_lowered_to_what_matters_most() -> None:
    mean = average([network(1), network(2)])

    same, less = lowered(mean, 4), lowered(mean, 1)

    assert changed(same) == pytest.approx(changed(mean), abs=1e-5)
    assert [part.shape for part in less.delta.parts[QUERY]] == [(6, 1), (1, 5)]
    sizes = np.linalg.svd(changed(mean), compute_uv=False)
    assert np.linalg.norm(changed(mean) - changed(less)) == pytest.approx(np.linalg.norm(sizes[1:]), rel=1e-4)


def test_what_ships_has_a_mean_with_itself() -> None:
    shipped = load_taught("questions.npz")

    mean = average([shipped, shipped])

    assert changed(mean) == pytest.approx(changed(shipped), abs=1e-6)
