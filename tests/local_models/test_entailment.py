"""What tells whether a passage states a claim."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from handrail.assembly.models import entailing
from handrail.errors import SettingsError
from handrail.local_models.bert import Weights
from handrail.local_models.entailment import OnnxEntailer, load_entailment
from handrail.local_models.fetch import locate
from handrail.local_models.manifest import find
from handrail.local_models.onnx import OnnxModel
from handrail.local_models.tuned import Delta, Tuned, rounded
from handrail.settings import load_settings

PASSAGE = (
    "The pump may run for six hours a day. Let it rest for at least one hour before you start it again. "
    "It must not be used for salt water. Owners of the Plus set get a second hose for nothing."
)


@pytest.fixture(scope="module")
def entailer() -> OnnxEntailer:
    fitted = load_entailment()
    spec = find(fitted.model, "reranker")
    return OnnxEntailer(spec, locate(spec), fitted, threads=1)


@pytest.mark.models
@pytest.mark.parametrize(
    ("stated", "not_stated"),
    [
        ("You can let it pump for 6 hours each day.", "You can let it pump for 16 hours each day."),
        ("Keep it away from sea water.", "You can use it in the sea."),
        ("Wait an hour before switching it on once more.", "You can switch it on again straight away."),
        ("With the Plus set another hose is free.", "Every buyer gets another hose for free."),
    ],
)
def test_what_the_passage_states_scores_higher(entailer: OnnxEntailer, stated: str, not_stated: str) -> None:
    one, other = entailer.score([(stated, PASSAGE), (not_stated, PASSAGE)])

    assert one > other


@pytest.mark.models
def test_a_score_does_not_depend_on_what_is_asked_with_it(entailer: OnnxEntailer) -> None:
    pairs = [("It rests for an hour.", PASSAGE), ("rest " * 200, PASSAGE * 9), ("", ""), ("?", PASSAGE)]

    together = entailer.score(pairs)

    assert np.isfinite(together).all()
    assert together == [entailer.score([pair])[0] for pair in pairs]
    assert entailer.score([]) == []


@pytest.mark.models
def test_it_comes_back_from_its_file(tmp_path: Path) -> None:
    shipped = load_entailment()

    shipped.saved(tmp_path / "other.npz")
    back = load_entailment(tmp_path / "other.npz")

    assert (back.model, back.intercept, back.delta.layers) == (shipped.model, shipped.intercept, shipped.delta.layers)
    assert back.delta.parts.keys() == shipped.delta.parts.keys()
    name = next(iter(back.delta.parts))
    assert np.array_equal(back.delta.parts[name][0], shipped.delta.parts[name][0])


def test_a_file_that_is_none_is_named(tmp_path: Path) -> None:
    file = tmp_path / "entailment.npz"
    for content in (b"", b"PK\x03\x04 broken", b"{}"):
        file.write_bytes(content)
        with pytest.raises(SettingsError, match=r"entailment\.npz: not a model of entailment"):
            load_entailment(file)


@pytest.mark.parametrize("reranker", ["none", "st:any"])
def test_something_stands_in_where_its_model_is_not_used(reranker: str) -> None:
    settings = load_settings()
    settings = settings.model_copy(update={"models": settings.models.model_copy(update={"reranker": reranker})})

    assert list(entailing(settings, lambda pairs: [0.5 for _ in pairs])([("a", "b")])) == [0.5]


@pytest.mark.models
def test_changes_of_nothing_change_nothing() -> None:
    spec = find(load_entailment().model, "reranker")
    folder = locate(spec)
    name = "encoder.layer.11.output.dense"
    source = Weights((folder / "model.onnx").read_bytes())
    width = source.width
    nothing = Delta(source.layers, {name: (np.zeros((4 * width, 2), np.float32), np.zeros((2, width), np.float32))})

    plain = OnnxModel(folder, 1, [11], every_token=True)
    changed = OnnxModel(folder, 1, every_token=True, delta=nothing)

    encodings = plain.tokenizer.encode_batch([("Is it free?", PASSAGE)])
    expected, found = plain.run(encodings)[0][1], changed.run(encodings)[0][0]
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() < 0.05
    assert Tuned(source, Delta(3, {})).layers == 3
    with pytest.raises(ValueError, match="40 layers of a model that has 12"):
        Tuned(source, Delta(40, {}))


def test_rounding_keeps_each_output_within_half_a_step() -> None:
    real = (np.random.default_rng(0).normal(size=(32, 5)) * [0.01, 1, 5, 0, 100]).astype(np.float32)

    matrix = rounded(real, np.zeros(5, np.float32))

    assert matrix.values.dtype == np.int8
    assert (np.abs(matrix.values * matrix.scale - real) <= matrix.scale / 2 + 1e-6).all()
