"""What is found does not depend on articles for agents: with them and without, every query gives the same."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack, closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handrail.answer.suggest.candidates import candidates, neighbours
from handrail.models.batching import Batcher
from handrail.retrieve.hybrid import HybridRetriever
from handrail.settings import Retrieval
from handrail.stores import snapshot as snapshots
from handrail.stores.audience import Audience
from handrail.stores.chroma import ChromaStore
from handrail.stores.chroma_client import connect
from handrail.types import Evidence, Passage, Wordings
from tests.knowledge.articles import HashedWords
from tests.retrieve.section_reader import reader

PUBLIC = {
    "refunds": ["Open the order to refund a customer.", "A refund takes five days.", "Code TW-1001 says it failed."],
    "domains": ["Unlock the domain under Settings.", "Copy the transfer code to the new provider."],
    "invoices": ["Invoices are under Settings.", "An invoice names your tax number."],
}
AGENTS = {
    "goodwill": ["A goodwill refund of up to 200 is fine.", "Never tell the customer.", "Book it with TW-9191."],
    "overrides": ["Force the transfer of a domain with the override key.", "An override costs 90."],
}
WORDS = sorted(
    {word for texts in (PUBLIC, AGENTS) for body in texts.values() for text in body for word in text.split()}
)


def passages(articles: dict[str, list[str]], **facets: str) -> list[Passage]:
    return [
        Passage(f"{name}/{n}", name, n, name.title(), ("Steps",), text, f"https://help.example/{name}", 9, facets)
        for name, texts in articles.items()
        for n, text in enumerate(texts)
    ]


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> list[ChromaStore]:
    """Without articles for agents, and with them."""
    made = []
    for extra in ([], passages(AGENTS, audience="agents")):
        store = ChromaStore(connect(tmp_path_factory.mktemp("index"), None), "shop", "hashed-words")
        store.create()
        rows = [*passages(PUBLIC), *extra]
        store.write(rows, HashedWords()([row.embedding_text for row in rows]), ["d"] * len(rows), [1] * len(rows))
        made.append(store)
    return made


@pytest.fixture(scope="module")
def retrievers(stores: list[ChromaStore]) -> Iterator[list[HybridRetriever]]:
    with ExitStack() as stack:
        embed = stack.enter_context(closing(Batcher("embed", HashedWords(), 64, 512)))
        made = []
        for store in stores:
            held = snapshots.build(*store.dump())
            chosen = Retrieval(dense_k=10, keyword_k=10)
            made.append(HybridRetriever(held, store.search, embed, reader(held, None), chosen, None))
        yield made


@given(
    query=st.lists(st.sampled_from([*WORDS, "goodwil", "overide", "TW-9191?"]), min_size=1, max_size=9).map(" ".join),
    filters=st.sampled_from([{}, {"audience": "agents"}, {"audience": "public"}, {"section": "agents"}]),
    depends=st.booleans(),
)
@settings(max_examples=150, derandomize=True)
def test_articles_for_agents_change_nothing_that_is_found(
    retrievers: list[HybridRetriever], query: str, filters: dict[str, str], depends: bool
) -> None:
    wordings = Wordings({"goodwill refund": 0.5}, ("goodwill",)) if depends else None

    async def both() -> None:
        found = [await one.retrieve(query, filters, None, wordings) for one in retrievers]

        assert _shown(found[1]) == _shown(found[0])

    asyncio.run(both())


def _shown(found: Evidence) -> object:
    """Chroma adds up in another order where it filters, so that the last digits may differ."""
    scores = [(hit.passage, round(hit.dense, 4), round(hit.final, 4)) for hit in found.hits]
    sections = [(one.section, {name: round(value, 3) for name, value in one.signals.items()}) for one in found.sections]
    return scores, sections, found.unlisted, found.query


def test_nor_the_questions_offered_after_an_answer(stores: list[ChromaStore]) -> None:
    without, with_them = [snapshots.build(*store.dump()) for store in stores]

    assert with_them.articles == without.articles
    for article in without.articles:
        assert candidates(with_them, article, 9) == candidates(without, article, 9)
        assert neighbours(with_them, article, 9) == neighbours(without, article, 9)


def test_agents_find_them_in_both_indexes(stores: list[ChromaStore]) -> None:
    held = snapshots.build(*stores[1].dump(Audience.AGENTS), audience=Audience.AGENTS)
    with closing(Batcher("embed", HashedWords(), 64, 512)) as embed:
        for dense_weight in (0.0, 1.0):
            chosen = Retrieval(dense_weight=dense_weight, article_weight=0.0)
            built = HybridRetriever(held, stores[1].search, embed, reader(held, None), chosen, None)
            found = asyncio.run(built.retrieve("goodwill refund", {}))
            assert "goodwill" in {hit.passage.article_id for hit in found.hits[:3]}
