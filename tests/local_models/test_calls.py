"""The head that hears despair and the wish for a person, as it ships and as a file."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from handrail.errors import SettingsError
from handrail.local_models.calls import ENGLISH, FILE, FOREIGN, load_calls
from handrail.local_models.taught import FOREIGN as TAUGHT_FOREIGN
from handrail.local_models.taught import MESSAGES, load_taught


@pytest.mark.parametrize(("kind", "taught"), [(FOREIGN, TAUGHT_FOREIGN), (ENGLISH, MESSAGES)])
def test_it_was_fitted_to_the_encoder_that_ships(kind: str, taught: str) -> None:
    """Who teaches an encoder anew runs `python -m eval.teach.calls`, too."""
    assert load_calls(kind).taught == load_taught(taught).digest


def test_the_file_is_small() -> None:
    assert len((files("handrail") / "fitted" / FILE).read_bytes()) < 200_000


@pytest.mark.parametrize("tokens", [1, 2, 64])
def test_any_states_come_to_probabilities(tokens: int) -> None:
    head = load_calls(FOREIGN)
    width = head.inner.shape[1] // len(head.layers)
    states = np.random.default_rng(0).normal(size=(len(head.layers), tokens, width)).astype(np.float32)

    for scale in (1.0, 1e4):
        calls = head.read([layer * scale for layer in states])
        assert 0 <= calls.crisis <= 1 and 0 <= calls.person <= 1


def test_a_file_that_is_none_is_named(tmp_path: Path) -> None:
    file = tmp_path / FILE
    file.write_bytes(b"PK\x03\x04 broken")

    with pytest.raises(SettingsError, match=r"calls\.npz: no head of calls"):
        load_calls(FOREIGN, file)
