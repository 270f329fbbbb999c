"""The late-interaction encoder that ships, as it is."""

from __future__ import annotations

import numpy as np
import pytest

from handrail.models.fetch import locate
from handrail.models.late import LateEncoder
from handrail.models.manifest import find
from handrail.stores.states import States

pytestmark = pytest.mark.models

PASSAGES = [
    "Refunds > Limits\nA refund is possible for 90 days after the payment.",
    "Refunds > Steps\nOpen the order, choose the amount, and confirm.",
    "The bakery opens at seven in the morning.",
]


@pytest.fixture(scope="module")
def encoder() -> LateEncoder:
    spec = find("answerai-colbert-small-v1-int8", "late")
    return LateEncoder(spec, locate(spec), threads=2, max_tokens=128, query_tokens=16)


def test_every_token_has_a_vector_of_its_own(encoder: LateEncoder) -> None:
    (query,) = encoder.queries(["how long can I keep the money"])
    (codes,) = encoder.passages(PASSAGES[:1])

    assert query.shape == (7 + 3, 96)
    assert query.dtype == np.float32
    assert np.allclose(np.linalg.norm(query, axis=1), 1, atol=1e-5)
    assert codes.dtype == np.int8
    assert (np.abs(codes).max(axis=1) == 127).all()


def test_the_passage_that_says_it_is_likest(encoder: LateEncoder) -> None:
    (query,) = encoder.queries(["until when can I get my money back"])

    found = States(encoder.passages(PASSAGES)).likeness(query, [0, 1, 2])

    assert found.argmax() == 0
    assert found.argmin() == 2


def test_a_text_is_read_the_same_alone_and_among_others(encoder: LateEncoder) -> None:
    together = encoder.passages(PASSAGES)

    assert all(
        np.array_equal(codes, encoder.passages([text])[0]) for codes, text in zip(together, PASSAGES, strict=True)
    )


def test_questions_and_passages_are_told_apart_and_cut_at_their_limits(encoder: LateEncoder) -> None:
    (query,) = encoder.queries(["refund " * 40])
    (codes,) = encoder.passages(["refund " * 400])

    assert len(query) == 16
    assert len(codes) == 128
    assert not np.allclose(query[1], codes[1] / np.linalg.norm(codes[1]), atol=0.05)


def test_an_empty_text_has_vectors_too(encoder: LateEncoder) -> None:
    assert encoder.queries([""])[0].shape == (3, 96)
    assert encoder.queries([]) == []
