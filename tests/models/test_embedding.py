"""An embedding that carries what was seen on the way to it."""

from __future__ import annotations

import numpy as np

from handrail.models.embedding import Embedding


def test_what_is_computed_of_an_embedding_is_plain() -> None:
    states = np.ones(6, dtype=np.float16)
    embedding = Embedding(np.asarray([0.6, 0.8]), states)

    assert embedding.states is states
    assert embedding.dtype == np.float32
    assert type(embedding * 2) is np.ndarray
    assert type(np.eye(2, dtype=np.float32) @ embedding) is np.ndarray
    assert isinstance(embedding @ embedding, np.floating)
    assert isinstance(embedding.max(), np.floating)
    assert embedding[:1].states is None


def test_embeddings_stack_to_rows() -> None:
    rows = np.stack([Embedding(np.zeros(3, dtype=np.float32)), Embedding(np.ones(3, dtype=np.float32))])

    assert rows.shape == (2, 3)
    assert rows.tolist() == [[0, 0, 0], [1, 1, 1]]
