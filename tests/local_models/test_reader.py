"""What the gates read on the way up the cross-encoder."""

from __future__ import annotations

import numpy as np
import pytest

from handrail.assembly.models import build_reranker, reading_of
from handrail.errors import SettingsError
from handrail.local_models import Logit
from handrail.local_models.fetch import locate
from handrail.local_models.manifest import find
from handrail.local_models.reader import QueryStates, load_reading
from handrail.settings import Settings, load_settings

pytestmark = pytest.mark.models

PASSAGE = "Paper jam\nTurn the printer off, open the back and pull the paper out in the direction it runs."


@pytest.fixture(scope="module")
def settings() -> Settings:
    return load_settings()


def states(settings: Settings, *layers: int) -> QueryStates:
    models = settings.models
    return QueryStates(
        locate(find(models.reranker, "reranker"), models.folder),
        layers,
        threads=1,
        max_tokens=models.rerank_max_tokens,
        query_tokens=models.query_max_tokens,
    )


def test_pairs_are_read_the_same_whatever_they_are_scored_with(settings: Settings) -> None:
    reranker, reading = build_reranker(settings), load_reading()
    pairs = [("paper stuck", PASSAGE), ("do you sell toner " * 30, PASSAGE * 20), ("paper stuck", "Help")]

    together = [logit.reading for logit in map(as_logit, reranker.score(pairs))]

    assert together == [as_logit(reranker.score([pair])[0]).reading for pair in pairs]
    assert together[0] is not None and together[2] is not None and together[0] > together[2]
    states_of_all = states(settings, *reading.layers).of(pairs)
    assert np.allclose(
        np.asarray(together, dtype=np.float32),
        states_of_all @ np.asarray(reading.weights) + reading.intercept,
        atol=1e-3,
    )


def as_logit(found: object) -> Logit:
    assert isinstance(found, Logit)
    return found


def test_each_layer_has_states_of_its_own(settings: Settings) -> None:
    lower, higher = (states(settings, layer).of([("paper stuck", PASSAGE)]) for layer in (5, 8))
    both = states(settings, 5, 8).of([("paper stuck", PASSAGE)])

    assert lower.shape == higher.shape == (1, len(load_reading().weights) // len(load_reading().layers))
    assert not np.allclose(lower, higher)
    assert np.allclose(both, np.concatenate([lower, higher], axis=1), atol=1e-5)


@pytest.mark.parametrize("change", [{"reader": False}, {"reranker": "none"}, {"reranker": "st:any"}])
def test_it_is_off_where_its_model_is_not_used(settings: Settings, change: dict[str, object]) -> None:
    models = settings.models.model_copy(update=change)

    assert reading_of(settings.model_copy(update={"models": models})) is None


def test_a_file_that_is_no_reading_is_named(tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("reading") / "reader.json"
    file.write_text('{"model": "x"}')

    with pytest.raises(SettingsError, match=r"reader\.json: not a reading"):
        load_reading(file)
