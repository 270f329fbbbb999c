"""What tests of answers start with."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from handrail.local_models.batching import Batcher
from tests.generate.answering import Scorer
from tests.generate.articles import score


@pytest.fixture
def scorer() -> Iterator[Scorer]:
    batcher: Scorer = Batcher("rerank", score, 64, 512)
    yield batcher
    batcher.close()
