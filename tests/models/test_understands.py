"""The head that understands messages, as it ships and as a file."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from handrail.errors import SettingsError
from handrail.models.taught import FOREIGN as TAUGHT_FOREIGN
from handrail.models.taught import MESSAGES, load_taught
from handrail.models.understands import ENGLISH, FILE, FOREIGN, UnderstandingHead, load_understanding
from handrail.turn.wording import MATTERS


def states_of(head: UnderstandingHead, tokens: int, scale: float = 1.0) -> list[np.ndarray]:
    width = head.inner.shape[1] // len(head.layers)
    values = np.random.default_rng(0).normal(scale=scale, size=(len(head.layers), tokens, width))
    return list(values.astype(np.float32))


@pytest.mark.parametrize(("kind", "taught"), [(FOREIGN, TAUGHT_FOREIGN), (ENGLISH, MESSAGES)])
def test_it_was_fitted_to_the_encoder_that_ships(kind: str, taught: str) -> None:
    """Whoever teaches an encoder anew runs `python -m training.heads`, too."""
    assert load_understanding(kind).taught == load_taught(taught).digest


def test_the_file_is_small() -> None:
    assert len((files("handrail.models") / "bundle" / FILE).read_bytes()) < 900_000


@pytest.mark.parametrize("kind", [FOREIGN, ENGLISH])
@pytest.mark.parametrize("tokens", [1, 2, 64])
@pytest.mark.parametrize("scale", [1.0, 1e4])
def test_any_states_come_to_probabilities(kind: str, tokens: int, scale: float) -> None:
    head = load_understanding(kind)

    found = head.read(states_of(head, tokens, scale))

    assert sum(found.acts.values()) == pytest.approx(1)
    assert found.act in found.acts
    assert sum(found.matters.values()) == pytest.approx(1)
    assert found.matters.keys() == {*MATTERS, "other"}
    flags = [found.depends, found.refuses_offer, found.crisis]
    values = [*found.acts.values(), *found.matters.values(), *flags]
    assert all(0 <= value <= 1 for value in values)


def test_the_same_states_are_understood_the_same_way() -> None:
    head = load_understanding(FOREIGN)

    assert head.read(states_of(head, 9)) == head.read(states_of(head, 9))


def test_a_file_that_is_none_is_named(tmp_path: Path) -> None:
    file = tmp_path / FILE
    file.write_bytes(b"PK\x03\x04 broken")

    with pytest.raises(SettingsError, match=r"understand\.npz: "):
        load_understanding(FOREIGN, file)
