"""Short queries made longer with an article's own title words."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from handrail.local_models.batching import Batcher
from handrail.retrieve.expand import TitleExpansion
from handrail.stores import snapshot as snapshots
from handrail.stores.snapshot import Snapshot
from handrail.types import Vectors
from tests.knowledge.articles import HashedWords
from tests.stages import ask, passage

pytestmark = pytest.mark.anyio

EMBED = HashedWords()
TEXTS = ["Open domains and connect your domain", "Open the order and refund the customer"]


@pytest.fixture
def embedder() -> Iterator[Batcher[str, Vectors]]:
    batcher: Batcher[str, Vectors] = Batcher("embed", lambda texts: list(EMBED(texts)), 8, 100)
    yield batcher
    batcher.close()


def snapshot() -> Snapshot:
    found = [
        passage("domains/0", TEXTS[0], title="Connect a domain"),
        passage("refunds/0", TEXTS[1], title="Give money back"),
    ]
    return snapshots.build(found, EMBED(TEXTS))


async def test_a_short_query_gets_the_words_of_the_nearest_title(embedder: Batcher[str, Vectors]) -> None:
    query = await TitleExpansion(snapshot(), embedder, 8).rewrite(ask("refund the customer"))

    assert query == "refund the customer give money back"


async def test_words_already_there_are_not_repeated(embedder: Batcher[str, Vectors]) -> None:
    query = await TitleExpansion(snapshot(), embedder, 8).rewrite(ask("connect your domain"))

    assert query == "connect your domain"


async def test_a_longer_query_stays_as_it_is(embedder: Batcher[str, Vectors]) -> None:
    assert await TitleExpansion(snapshot(), embedder, 3).rewrite(ask("refund the customer")) == "refund the customer"
