"""How well whole articles fit a query."""

from __future__ import annotations

import numpy as np

from handrail.retrieve.articles import ArticleFit
from handrail.stores.snapshot import Snapshot, build
from handrail.types import Vectors
from tests.stages import passage


def index() -> Snapshot:
    passages = [
        passage("a:one/0", "Refund a customer in full.", title="Refunds"),
        passage("a:one/1", "Choose the amount.", title="Refunds"),
        passage("a:two/0", "A stray remark.", title="Stock"),
    ]
    return build(passages, np.asarray([[1, 0], [0.8, 0.6], [0, 1]], dtype=np.float32))


def scores(query: str, weight: float) -> dict[str, float]:
    snapshot = index()
    embedding: Vectors = np.asarray([1, 0], dtype=np.float32)
    return ArticleFit(snapshot, weight).scores(query, embedding, snapshot.cosines(embedding), {"a:one", "a:two"})


def test_the_nearer_article_fits_better_and_none_leaves_the_range() -> None:
    found = scores("refund", 0.0)

    assert found["a:one"] == 1.0
    assert 0 <= found["a:two"] < 1


def test_words_of_the_whole_article_count_by_their_weight() -> None:
    assert scores("stray remark", 1.0) == {"a:one": 0.0, "a:two": 1.0}
    assert scores("stray remark", 0.0) == scores("refund", 0.0)


def test_a_query_without_a_known_word_is_left_to_the_vectors() -> None:
    assert scores("zebra", 0.9) == scores("zebra", 0.0)
