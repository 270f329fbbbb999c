"""all-MiniLM-L6-v2 as the embedder, through sentence-transformers."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pytest

from handrail.errors import ModelUnavailable
from handrail.models.sentence_transformer import SentenceTransformerEmbedder
from tests.torch_extra.folders import variant

pytestmark = pytest.mark.torch

TEXTS = [
    "How do I connect a domain I already own?",
    "Point a domain you have bought elsewhere at your site.",
    "The bakery opens at seven in the morning.",
    "Refunds reach the customer's card within five working days. " * 6,
    "No",
]


def load(folder: Path) -> SentenceTransformerEmbedder:
    return SentenceTransformerEmbedder(str(folder), batch_size=4, max_tokens=64)


def test_vectors_are_normalised(minilm: SentenceTransformerEmbedder) -> None:
    vectors = minilm.embed_passages(TEXTS)

    assert vectors.shape == (len(TEXTS), minilm.dimensions) == (5, 384)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_a_vector_depends_on_its_text_alone(minilm: SentenceTransformerEmbedder) -> None:
    together = minilm.embed_passages(TEXTS)
    alone = np.concatenate([minilm.embed_passages([text]) for text in TEXTS])

    assert np.allclose(together, alone, atol=1e-5)


def test_a_paraphrase_is_nearer_than_another_subject(minilm: SentenceTransformerEmbedder) -> None:
    query = minilm.embed_queries(TEXTS[:1])[0]

    _, paraphrase, unrelated, *_ = minilm.embed_passages(TEXTS) @ query

    assert paraphrase > unrelated + 0.3


def test_what_is_over_the_limit_is_not_read(minilm: SentenceTransformerEmbedder) -> None:
    long = "order " * 100

    assert np.allclose(minilm.embed_passages([long]), minilm.embed_passages([long + "domain"]), atol=1e-6)


def test_the_limit_is_the_models_own_where_that_is_lower(bi_encoder: Path) -> None:
    roomy = SentenceTransformerEmbedder(str(bi_encoder), batch_size=4, max_tokens=512)
    long = "order " * 260

    assert np.allclose(roomy.embed_passages([long]), roomy.embed_passages([long + "bakery"]), atol=1e-6)


def test_tokens_are_counted_without_special_ones(
    minilm: SentenceTransformerEmbedder, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        counts = [minilm.count(text) for text in ("", "connect a domain", "order " * 1000)]

    assert counts == [0, 3, 1000]
    assert not caplog.records


def test_a_model_without_a_transformer_counts_and_normalises_too(bi_encoder: Path, tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(bi_encoder / "tokenizer.json"))
    tokenizer.no_truncation()
    SentenceTransformer(modules=[StaticEmbedding(tokenizer, embedding_dim=16)]).save(str(tmp_path))

    static = load(tmp_path)

    assert static.count("order " * 1000) == 1000
    assert static.embed_queries(TEXTS).shape == (5, 16)
    assert np.allclose(np.linalg.norm(static.embed_queries(TEXTS), axis=1), 1, atol=1e-5)


@pytest.mark.parametrize("passage", ["passage", "document"])
def test_a_models_own_prompts_are_put_before_queries_and_passages(
    minilm: SentenceTransformerEmbedder, bi_encoder: Path, tmp_path: Path, passage: str
) -> None:
    prompts = {"query": "question: ", passage: "article: "}
    prompted = load(variant(bi_encoder, tmp_path, {"config_sentence_transformers.json": {"prompts": prompts}}))

    queries, passages = prompted.embed_queries(["refunds"]), prompted.embed_passages(["refunds"])

    assert np.allclose(queries, minilm.embed_passages(["question: refunds"]), atol=1e-5)
    assert np.allclose(passages, minilm.embed_passages(["article: refunds"]), atol=1e-5)
    assert not np.allclose(queries, passages, atol=1e-2)


def test_nothing_in_nothing_out(minilm: SentenceTransformerEmbedder) -> None:
    assert minilm.embed_queries([]).shape == minilm.embed_passages([]).shape == (0, 384)


@pytest.mark.parametrize(
    "text", ["", "\x00\ufeff", "🎉" * 400, "支払い", "a" * 5000], ids=["", "nul", "emoji", "ja", "a"]
)
def test_odd_texts_have_vectors(minilm: SentenceTransformerEmbedder, text: str) -> None:
    assert np.isfinite(minilm.embed_queries([text])).all()


def test_links_and_paths_to_pictures_are_only_text(minilm: SentenceTransformerEmbedder, tmp_path: Path) -> None:
    picture = tmp_path / "screenshot.png"
    texts = [str(picture), "http://127.0.0.1:9/screenshot.png"]
    before = minilm.embed_queries(texts)

    picture.write_bytes(b"\x89PNG\r\n\x1a\n")

    assert np.array_equal(minilm.embed_queries(texts), before)


def test_a_model_that_would_open_links_to_pictures_is_refused(bi_encoder: Path, tmp_path: Path) -> None:
    forward = {"method": "forward", "method_output_name": "last_hidden_state"}
    reads = {"modality_config": {"text": forward, "image": forward}, "module_output_name": "token_embeddings"}
    folder = variant(bi_encoder, tmp_path, {"sentence_bert_config.json": reads})

    with pytest.raises(ModelUnavailable, match="also reads image"):
        load(folder)


@pytest.mark.parametrize("what", ["absent", "a file", "empty", "cut off"])
def test_a_folder_without_a_whole_model_is_one_line_of_advice(bi_encoder: Path, tmp_path: Path, what: str) -> None:
    folder = tmp_path / "model"
    if what == "a file":
        folder.write_text("weights")
    elif what == "empty":
        folder.mkdir()
    elif what == "cut off":
        weights = (bi_encoder / "model.safetensors").read_bytes()[:10_000]
        variant(bi_encoder, folder, {"model.safetensors": weights})

    with pytest.raises(ModelUnavailable) as caught:
        load(folder)

    assert str(caught.value).startswith(f"models.embedder = 'st:{folder}' could not be loaded: ")
    assert "sentence-transformers" in str(caught.value)
    assert "\n" not in str(caught.value)
