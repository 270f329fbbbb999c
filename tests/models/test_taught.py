"""What encoders were taught: whether a passage states a claim or answers a question, and what a message asks for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from handrail.assembly.models import (
    Scores,
    build_foreign_scorer,
    build_message_scorer,
    build_readers,
    build_reranker,
    entailing,
    readers_of,
)
from handrail.errors import SettingsError
from handrail.models import Logit
from handrail.models.bert import Kept, Weights
from handrail.models.fetch import locate
from handrail.models.manifest import find
from handrail.models.onnx import OnnxModel
from handrail.models.taught import (
    CLAIMS,
    MESSAGES,
    QUESTIONS,
    QUESTIONS_AGAIN,
    load_taught,
)
from handrail.models.tuned import Delta, Tuned, rounded
from handrail.settings import Settings, load_settings
from handrail.types import Label

PASSAGE = (
    "The pump may run for six hours a day. Let it rest for at least one hour before you start it again. "
    "It must not be used for salt water. Owners of the Plus set get a second hose for nothing."
)


@pytest.fixture(scope="module")
def settings() -> Settings:
    return load_settings()


@pytest.fixture(scope="module")
def entails(settings: Settings) -> Scores:
    return entailing(settings, unused)


def read_by(scores: Scores, pairs: list[tuple[str, str]]) -> list[Logit]:
    """What `scores` says, which must be readings."""
    found = list(scores(pairs))
    assert all(isinstance(logit, Logit) for logit in found)
    return cast("list[Logit]", found)


def unused(pairs: Sequence[tuple[str, str]]) -> list[float]:
    raise AssertionError("what was taught is not in use")


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
def test_what_the_passage_states_scores_higher(entails: Scores, stated: str, not_stated: str) -> None:
    one, other = entails([(stated, PASSAGE), (not_stated, PASSAGE)])

    assert one > other


@pytest.mark.models
@pytest.mark.parametrize(
    ("answered", "beside"),
    [
        ("how long can I let it run per day", "how much water does it move per hour"),
        ("is it ok for sea water", "is it ok for hot water"),
        ("do I get another hose with Plus", "how long is the hose"),
    ],
)
def test_what_a_passage_answers_is_told_from_what_it_only_speaks_of(
    settings: Settings, answered: str, beside: str
) -> None:
    readers = build_readers(settings)
    assert readers is not None

    one, other = read_by(readers.passages, [(answered, f"Pump\n{PASSAGE}"), (beside, f"Pump\n{PASSAGE}")])

    assert one.reading is not None and other.reading is not None
    assert one.reading > other.reading


@pytest.mark.models
def test_a_reader_still_says_what_the_cross_encoder_says(settings: Settings) -> None:
    readers, plain = build_readers(settings), build_reranker(settings)
    assert readers is not None
    pairs = [
        ("how do I pause it", PASSAGE),
        ("may it run all day", PASSAGE),
        ("opening hours", PASSAGE),
        ("hours", "Opening hours\nWe are open from nine to five."),
        ("?", ""),
        ("long " * 200, PASSAGE * 9),
    ]

    read = partial(read_by, readers.passages)
    assert np.abs(np.asarray(read(pairs)) - np.asarray(plain.score(pairs))).mean() < 2.5
    assert [float(logit) for logit in read(pairs)] == [float(read([pair])[0]) for pair in pairs]
    assert read([]) == []


def test_the_second_reader_goes_with_its_embedder(settings: Settings) -> None:
    both, alone = readers_of(settings), readers_of(with_models(settings, {"embedder": "st:any"}))

    assert both is not None and both.second is not None and alone is not None
    assert alone.second is None and alone.first.digest == both.first.digest == alone.digest != both.digest
    assert alone.fitted_on and both.fitted_on.startswith(alone.fitted_on)


@pytest.mark.parametrize("change", [{"reader": False}, {"reranker": "none"}, {"reranker": "st:any"}])
def test_nothing_is_read_where_its_model_is_not_used(settings: Settings, change: dict[str, object]) -> None:
    other = with_models(settings, change)

    assert readers_of(other) is None
    assert build_readers(other) is None


@pytest.mark.models
def test_a_message_is_heard(settings: Settings) -> None:
    score = build_message_scorer(settings)
    assert score is not None
    texts = ["I want my money back for last month", "how do I add a colleague", "write me a poem", "asdf jkl qwer"]

    labels = [list(Label)[int(found.labels.argmax())] for found in score(texts)]

    assert labels == [Label.HIGH_STAKES, Label.ANSWERABLE, Label.IRRELEVANT, Label.NONSENSE]
    assert all(
        np.array_equal(score([text])[0].labels, found.labels) for text, found in zip(texts, score(texts), strict=True)
    )
    assert np.isfinite(np.stack([found.labels for found in score(["", "long " * 5000, "?!", "\x00"])])).all()


@pytest.mark.models
def test_a_score_does_not_depend_on_what_is_asked_with_it(entails: Scores) -> None:
    pairs = [("It rests for an hour.", PASSAGE), ("rest " * 200, PASSAGE * 9), ("", ""), ("?", PASSAGE)]

    together = list(entails(pairs))

    assert np.isfinite(together).all()
    assert together == [next(iter(entails([pair]))) for pair in pairs]
    assert list(entails([])) == []


@pytest.mark.parametrize("file", [*CLAIMS, MESSAGES, QUESTIONS, QUESTIONS_AGAIN])
def test_it_comes_back_from_its_file(tmp_path: Path, file: str) -> None:
    shipped = load_taught(file)

    shipped.saved(tmp_path / "other.npz")
    back = load_taught(file, tmp_path / "other.npz")

    assert (back.model, back.delta.layers) == (shipped.model, shipped.delta.layers)
    assert np.array_equal(back.intercepts, shipped.intercepts)
    assert np.array_equal(back.weights, shipped.weights)
    assert back.delta.parts.keys() == shipped.delta.parts.keys()
    name = next(iter(back.delta.parts))
    assert np.array_equal(back.delta.parts[name][0], shipped.delta.parts[name][0])


def test_a_file_that_is_none_is_named(tmp_path: Path) -> None:
    file = tmp_path / "messages.npz"
    for content in (b"", b"PK\x03\x04 broken", b"{}"):
        file.write_bytes(content)
        with pytest.raises(SettingsError, match=r"messages\.npz: "):
            load_taught(MESSAGES, file)


@pytest.mark.parametrize("change", [{"reranker": "none"}, {"reranker": "st:any"}])
def test_something_stands_in_where_its_model_is_not_used(settings: Settings, change: dict[str, object]) -> None:
    other = with_models(settings, change)

    assert list(entailing(other, lambda pairs: [0.5 for _ in pairs])([("a", "b")])) == [0.5]


@pytest.mark.models
def test_messages_in_other_languages_are_heard_in_their_own_words(settings: Settings) -> None:
    score = build_foreign_scorer(settings)
    assert score is not None
    texts = {
        "Ich will mein Geld für den letzten Monat zurück": Label.HIGH_STAKES,
        "comment ajouter un collègue à mon équipe ?": Label.ANSWERABLE,
        "Chcę natychmiast zrezygnować z abonamentu": Label.HIGH_STAKES,
        "Iptal etmek istiyorum, paramı geri verin": Label.HIGH_STAKES,
        "scrivimi una poesia sul mare": Label.IRRELEVANT,
        "asdf jkl qwer": Label.NONSENSE,
    }

    found = [list(Label)[int(said.labels.argmax())] for said in score(list(texts))]

    assert found == list(texts.values())
    assert np.isfinite(np.stack([said.labels for said in score(["", "lang " * 5000, "?!", "\x00"])])).all()


@pytest.mark.models
def test_another_encoder_was_not_taught_to_hear_messages(settings: Settings) -> None:
    with pytest.raises(SettingsError, match=r"models\.foreign.*multilingual-e5-small-q4.*bge-small-en-v1\.5-int8"):
        build_foreign_scorer(with_models(settings, {"foreign": "bge-small-en-v1.5-int8"}))


def test_it_can_be_turned_off(settings: Settings) -> None:
    assert build_foreign_scorer(with_models(settings, {"foreign": "none"})) is None
    assert build_message_scorer(with_models(settings, {"embedder": "st:any"})) is None


def with_models(settings: Settings, change: dict[str, object]) -> Settings:
    return settings.model_copy(update={"models": settings.models.model_copy(update=change)})


@pytest.mark.models
def test_changes_of_nothing_change_nothing() -> None:
    spec = find(load_taught(CLAIMS[0]).model, "reranker")
    folder = locate(spec)
    name = "encoder.layer.11.output.dense"
    source = Weights((folder / "model.onnx").read_bytes())
    width = source.width
    nothing = Delta(source.layers, {name: (np.zeros((4 * width, 2), np.float32), np.zeros((2, width), np.float32))})

    plain = OnnxModel(folder, 1, [11], kept=Kept.ALL)
    changed = OnnxModel(folder, 1, kept=Kept.ALL, delta=nothing)

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
