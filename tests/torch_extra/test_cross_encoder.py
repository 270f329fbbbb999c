"""Cross-encoders through sentence-transformers; these have random weights, so only the handling is tested."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from handrail.errors import ModelUnavailable
from handrail.models.sentence_transformer import SentenceTransformerReranker
from tests.torch_extra.folders import cross_encoder, variant

pytestmark = pytest.mark.torch

PAIRS = [
    ("connect a domain", "Point a domain you have bought elsewhere at your site."),
    ("connect a domain", "The bakery opens at seven in the morning."),
    ("refund", "Refunds reach the customer's card within five working days. " * 3),
    ("", ""),
    ("支払い", "🎉"),
]


def load(folder: Path, max_tokens: int = 64) -> SentenceTransformerReranker:
    return SentenceTransformerReranker(str(folder), batch_size=2, max_tokens=max_tokens)


@pytest.fixture(scope="module")
def folder(bi_encoder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return cross_encoder(bi_encoder, tmp_path_factory.mktemp("cross-encoder"))


@pytest.fixture(scope="module")
def reranker(folder: Path) -> SentenceTransformerReranker:
    return load(folder)


def test_each_pair_has_one_score(reranker: SentenceTransformerReranker) -> None:
    scores = reranker.score(PAIRS)

    assert scores.shape == (5,)
    assert scores.dtype == np.float32
    assert len(set(scores.tolist())) == 5
    assert reranker.score([]).shape == (0,)


def test_a_score_depends_on_its_pair_alone(reranker: SentenceTransformerReranker) -> None:
    together = reranker.score(PAIRS)
    backwards = reranker.score(PAIRS[::-1])[::-1]
    alone = np.concatenate([reranker.score([pair]) for pair in PAIRS])

    assert np.allclose(together, backwards, atol=1e-5)
    assert np.allclose(together, alone, atol=1e-5)


def test_scores_are_the_models_raw_logits(reranker: SentenceTransformerReranker, folder: Path) -> None:
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    encoded = AutoTokenizer.from_pretrained(folder)(*PAIRS[0], return_tensors="pt")
    with torch.inference_mode():
        logit = model(**encoded).logits.item()

    assert reranker.score(PAIRS[:1]).tolist() == pytest.approx([logit], abs=1e-5)
    assert not np.all((reranker.score(PAIRS) > 0) & (reranker.score(PAIRS) < 1))


def test_what_is_over_the_limit_is_not_read(reranker: SentenceTransformerReranker) -> None:
    long = "order " * 80

    first, second, third = reranker.score([("refund", long), ("refund", long + "domain"), ("domain", long)])

    assert first == pytest.approx(second, abs=1e-6)
    assert first != pytest.approx(third, abs=1e-3)


def test_the_limit_is_the_models_own_where_that_is_lower(folder: Path) -> None:
    assert np.isfinite(load(folder, max_tokens=512).score([("refund " * 300, "refund " * 300)])).all()


def test_a_model_of_several_labels_is_refused(bi_encoder: Path, tmp_path: Path) -> None:
    folder = cross_encoder(bi_encoder, tmp_path, labels=3)

    with pytest.raises(ModelUnavailable, match=r"models\.reranker = .* is not a reranker"):
        load(folder)


def test_a_bi_encoder_is_refused_rather_than_given_random_weights(bi_encoder: Path) -> None:
    with pytest.raises(ModelUnavailable, match=r"models\.reranker = .* is not a reranker: it has no trained output"):
        load(bi_encoder)


def test_damaged_weights_are_one_line_of_advice(folder: Path, tmp_path: Path) -> None:
    damaged = variant(folder, tmp_path / "damaged", {"model.safetensors": b"x" * 100})

    with pytest.raises(ModelUnavailable, match=r"^models\.reranker = .* could not be loaded: .+\)$"):
        load(damaged)
