"""What the gates read halfway up the cross-encoder."""

from __future__ import annotations

import numpy as np
import pytest

from handrail.assembly.models import build_reader
from handrail.errors import SettingsError
from handrail.local_models.fetch import locate
from handrail.local_models.manifest import find
from handrail.local_models.reader import QueryStates, load_reading
from handrail.settings import Settings, load_settings

pytestmark = pytest.mark.models

PASSAGE = "Paper jam\nTurn the printer off, open the back and pull the paper out in the direction it runs."


@pytest.fixture(scope="module")
def settings() -> Settings:
    return load_settings()


def states(settings: Settings, node: str) -> QueryStates:
    models = settings.models
    return QueryStates(
        locate(find(models.reranker, "reranker"), models.folder),
        node,
        threads=1,
        batch_size=2,
        max_tokens=models.rerank_max_tokens,
        query_tokens=models.query_max_tokens,
    )


def test_pairs_keep_their_order_whatever_they_are_batched_with(settings: Settings) -> None:
    reader = build_reader(settings)
    assert reader is not None
    pairs = [("paper stuck", PASSAGE), ("do you sell toner " * 30, PASSAGE * 20), ("paper stuck", "Help")]

    together = reader.score(pairs)

    assert np.allclose(together, [reader.score([pair])[0] for pair in pairs], atol=0.4)
    assert reader.score([]).shape == (0,)
    assert together[0] > together[2]


def test_another_node_gives_other_states(settings: Settings) -> None:
    node = load_reading().state
    here = states(settings, node).of([("paper stuck", PASSAGE)])
    higher = states(settings, node.replace("layer.5", "layer.8")).of([("paper stuck", PASSAGE)])

    assert here.shape == higher.shape == (1, len(load_reading().weights))
    assert not np.allclose(here, higher)


@pytest.mark.parametrize("change", [{"reader": False}, {"reranker": "none"}, {"reranker": "st:any"}])
def test_it_is_off_where_its_model_is_not_used(settings: Settings, change: dict[str, object]) -> None:
    models = settings.models.model_copy(update=change)

    assert build_reader(settings.model_copy(update={"models": models})) is None


def test_a_file_that_is_no_reading_is_named(tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("reading") / "reader.json"
    file.write_text('{"model": "x"}')

    with pytest.raises(SettingsError, match=r"reader\.json: not a reading"):
        load_reading(file)
