"""Whom retrieval believes: by tier, and by what is in the place of what, over both indexes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from handrail.models.batching import Batcher
from handrail.retrieve.hybrid import HybridRetriever
from handrail.retrieve.trust import Trust
from handrail.settings import Retrieval
from handrail.stores import snapshot as snapshots
from handrail.stores.chroma import ChromaStore
from handrail.stores.chroma_client import connect
from handrail.stores.relations import Relations
from handrail.types import Candidate, Hit, Passage, Section
from tests.knowledge.articles import HashedWords
from tests.retrieve.section_reader import WordOverlap, reader

pytestmark = pytest.mark.anyio

TEXT = "A refund takes five working days."
Build = Callable[[dict[str, dict[str, str]]], HybridRetriever]


def passage(article: str, text: str, **facets: str) -> Passage:
    return Passage(f"{article}/0", article, 0, "Refunds", (), text, f"https://help.example/{article}", 9, facets)


@pytest.fixture
def retriever(tmp_path: Path) -> Iterator[Build]:
    embed, score = Batcher("embed", HashedWords(), 64, 512), Batcher("rerank", WordOverlap(), 64, 512)

    def build(articles: dict[str, dict[str, str]]) -> HybridRetriever:
        rows = [
            passage(name, said.pop("text", TEXT), **said)
            for name, said in sorted((name, dict(said)) for name, said in articles.items())
        ]
        store = ChromaStore(connect(tmp_path, None), "shop", "hashed-words")
        store.create()
        store.write(rows, HashedWords()([row.embedding_text for row in rows]), ["d"] * len(rows), [1] * len(rows))
        held = snapshots.build(*store.dump())
        return HybridRetriever(held, store.search, embed, reader(held, score), Retrieval())

    with ExitStack() as stack:
        for batcher in (embed, score):
            stack.enter_context(closing(batcher))
        yield build


async def order(retriever: HybridRetriever, query: str = "refund takes working days") -> list[str]:
    found = await retriever.retrieve(query, {})
    by_section = [one.section.article_id for one in found.sections]
    assert [one.probability for one in found.sections] == sorted(one.probability for one in found.sections)[::-1]
    assert list(dict.fromkeys(hit.passage.article_id for hit in found.hits))[:1] == by_section[:1]
    return by_section


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({"tier": "canonical"}, {}),
        ({}, {"tier": "raw"}),
        ({"tier": "raw"}, {"tier": "machine"}),
        ({}, {"tier": "machine"}),
        ({"tier": "machine"}, {"deprecated": "true"}),
        ({}, {"tier": "canonical", "deprecated": "true"}),
        ({}, {"superseded_by": "gone"}),
    ],
)
async def test_of_two_that_say_the_same_the_one_to_believe_comes_first(
    retriever: Build, better: dict[str, str], worse: dict[str, str]
) -> None:
    """Equal scores are ordered by name, so the one to believe is put behind the other in that."""
    assert await order(retriever({"a-worse": worse, "b-better": better})) == ["b-better", "a-worse"]


async def test_what_answers_better_is_not_hidden_by_a_tier(retriever: Build) -> None:
    found = await order(
        retriever({"a": {"tier": "canonical", "text": "Invoices show your tax number."}, "b": {"tier": "machine"}})
    )

    assert found[0] == "b"


async def test_many_machine_made_copies_do_not_keep_the_approved_page_from_being_read(retriever: Build) -> None:
    copies = {f"a-{n:02}": {"tier": "machine"} for n in range(20)}

    assert (await order(retriever({**copies, "b-own": {}})))[0] == "b-own"


async def test_the_article_in_the_place_of_another_is_read_though_it_shares_no_word(retriever: Build) -> None:
    newer = {"text": "Money comes back within a week.", "supersedes": "b-old"}
    others = {f"x-{n:02}": dict[str, str]() for n in range(20)}

    found = await order(retriever({"a-new": newer, "b-old": {}, **others}))

    assert "a-new" in found


@given(st.sampled_from(["approved", "canonical"]), st.floats(0.01, 0.99), st.floats(0, 1))
def test_no_machine_made_page_passes_an_approved_one_that_is_as_relevant(tier: str, likely: float, less: float) -> None:
    rows = [passage("a", TEXT, tier="machine"), passage("b", TEXT, tier=tier)]
    held = snapshots.build(rows, HashedWords()([row.text for row in rows]))
    trust = Trust(held, Relations(held), Retrieval())
    sections = [
        Candidate(Section(f"{row.article_id}#0", row.article_id, "", (), TEXT, "", (row.id,)), probability)
        for row, probability in zip(rows, (likely * less, likely), strict=True)
    ]
    hits = [Hit(rows[0], fused=likely * less), Hit(rows[1], fused=likely)]

    assert trust.sections(sections)[0].section.article_id == "b"
    assert trust.hits(hits)[0].passage.article_id == "b"


@pytest.mark.parametrize("wrong", [{"machine_weight": 1.1}, {"canonical_weight": 0.9}, {"raw_weight": 0}])
def test_no_setting_turns_the_order_around(wrong: dict[str, float]) -> None:
    with pytest.raises(ValidationError):
        Retrieval.model_validate(wrong)
