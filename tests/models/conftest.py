"""The real models, loaded once."""

from __future__ import annotations

import pytest

from handrail.models.fetch import locate
from handrail.models.manifest import find
from handrail.models.onnx import OnnxEmbedder, OnnxReranker


@pytest.fixture(scope="session")
def embedder() -> OnnxEmbedder:
    spec = find("bge-small-en-v1.5-int8", "embedder")
    return OnnxEmbedder(spec, locate(spec), threads=2, max_tokens=128, query_tokens=64)


@pytest.fixture(scope="session")
def reranker() -> OnnxReranker:
    spec = find("ms-marco-MiniLM-L12-v2-int8", "reranker")
    return OnnxReranker(spec, locate(spec), threads=2, max_tokens=64, query_tokens=24)
