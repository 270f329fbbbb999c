"""The models that ship by default, as they are."""

from __future__ import annotations

import numpy as np
import pytest

from handrail.models.onnx import OnnxEmbedder, OnnxReranker

pytestmark = pytest.mark.models

TEXTS = [
    "How do I connect a domain I already own?",
    "Point a domain you have bought elsewhere at your site.",
    "The bakery opens at seven in the morning.",
    "Refunds reach the customer's card within five working days. " * 6,
    "No",
]


def test_vectors_are_normalised(embedder: OnnxEmbedder) -> None:
    vectors = embedder.embed_passages(TEXTS)

    assert vectors.shape == (len(TEXTS), embedder.dimensions) == (5, 384)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_a_vector_depends_on_its_text_alone(embedder: OnnxEmbedder) -> None:
    together = embedder.embed_passages(TEXTS)
    backwards = embedder.embed_passages(TEXTS[::-1])[::-1]
    alone = np.stack([embedder.embed_passages([text])[0] for text in TEXTS])

    assert np.array_equal(together, backwards)
    assert np.array_equal(together, alone)


def test_a_paraphrase_is_nearer_than_another_subject(embedder: OnnxEmbedder) -> None:
    query = embedder.embed_queries(TEXTS[:1])[0]

    _, paraphrase, unrelated, *_ = embedder.embed_passages(TEXTS) @ query

    assert paraphrase > unrelated + 0.1


def test_queries_are_told_from_passages(embedder: OnnxEmbedder) -> None:
    assert not np.allclose(embedder.embed_queries(TEXTS[:1]), embedder.embed_passages(TEXTS[:1]))


def test_what_is_over_the_limit_is_not_read(embedder: OnnxEmbedder) -> None:
    long = "refund " * 200

    assert np.allclose(embedder.embed_passages([long]), embedder.embed_passages([long + "domain"]), atol=1e-6)


def test_words_are_common_ones_the_commonest_first(embedder: OnnxEmbedder) -> None:
    words = embedder.words()

    assert len(words) > 15_000
    assert words.index("the") < words.index("different") < 8000
    assert {"customer", "password", "definitely"} <= set(words)
    assert not {"domian", "Customer", "##ing", "[CLS]", "2fa"} & set(words)


def test_tokens_are_counted_without_special_ones(embedder: OnnxEmbedder) -> None:
    assert embedder.count("") == 0
    assert embedder.count("connect a domain") == 3
    assert embedder.count("order " * 1000) == 1000


def test_nothing_in_nothing_out(embedder: OnnxEmbedder, reranker: OnnxReranker) -> None:
    assert embedder.embed_queries([]).shape == (0, 384)
    assert reranker.score([]) == []


@pytest.mark.parametrize(
    "text", ["", "\x00\ufeff", "🎉" * 400, "支払い", "a" * 5000], ids=["", "nul", "emoji", "ja", "a"]
)
def test_odd_texts_have_vectors_and_scores(embedder: OnnxEmbedder, reranker: OnnxReranker, text: str) -> None:
    assert np.isfinite(embedder.embed_queries([text])).all()
    assert np.isfinite(reranker.score([(text, "A passage."), ("A query", text)])).all()


def test_the_reranker_prefers_the_passage_that_answers(reranker: OnnxReranker) -> None:
    scores = reranker.score([(TEXTS[0], TEXTS[2]), (TEXTS[0], TEXTS[1])])

    assert scores[1] > scores[0] + 1


def test_scores_come_in_the_order_of_the_pairs(reranker: OnnxReranker) -> None:
    pairs = [(TEXTS[0], text) for text in TEXTS]

    scores = reranker.score(pairs)

    assert scores == reranker.score(pairs[::-1])[::-1]
    assert np.argmax(scores) in (0, 1)


def test_the_passage_is_truncated_and_the_query_is_not(reranker: OnnxReranker) -> None:
    query = "how can i change the card that pays for the plan of my second business in the"
    passage = "Open billing and choose the card. " * 30

    assert np.allclose(reranker.score([(query, passage)]), reranker.score([(query, passage + "refund")]), atol=1e-5)
    assert not np.allclose(reranker.score([(query, passage)]), reranker.score([(query + " shop", passage)]), atol=1e-5)


def test_an_absurdly_long_query_leaves_room_for_the_passage(reranker: OnnxReranker) -> None:
    query = "refund my order " * 100

    answering, other = reranker.score([(query, "Refund an order under Store."), (query, "The bakery opens at seven.")])

    assert answering > other
