"""The mean of networks that were taught from one start."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from eval.teach.average import average
from handrail.local_models.taught import Taught, load_taught
from handrail.local_models.tuned import Delta, Floats

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


def test_what_ships_has_a_mean_with_itself() -> None:
    shipped = load_taught("questions.npz")

    mean = average([shipped, shipped])

    assert changed(mean) == pytest.approx(changed(shipped), abs=1e-6)
