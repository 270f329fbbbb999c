"""Retrieval over a real store on disk: both searches, the order, the sections that are read, limits and filters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from handrail.errors import RetryableError
from handrail.models.batching import Batcher
from handrail.retrieve.hybrid import HybridRetriever
from handrail.retrieve.section_reader import SectionReader
from handrail.settings import Retrieval
from handrail.stores import snapshot as snapshots
from handrail.stores.chroma import ChromaStore
from handrail.stores.chroma_client import connect
from handrail.types import Evidence, MessageScores, Passage, Wordings
from tests.calibrations import gate_of
from tests.knowledge.articles import HashedWords
from tests.retrieve.section_reader import WordOverlap, reader
from tests.stages import understood_as

pytestmark = pytest.mark.anyio

Retriever = Callable[..., HybridRetriever]

TEXTS = {
    "billing:refund": [
        ("Steps", "Open the order to refund a customer."),
        ("Steps", "Choose the refund amount."),
        ("Steps", "Confirm the refund."),
        ("Limits", "A refund of a customer is possible for 90 days."),
    ],
    "billing:invoices": [("", "Invoices are under Settings."), ("", "An invoice names your tax number.")],
    "store:returns": [("", "A customer sends goods back for a refund.")],
    "store:stock": [("", "Stock counts down with every order.")],
}


def passages() -> list[Passage]:
    return [
        Passage(
            f"{article}/{position}",
            article,
            position,
            article.partition(":")[2].title(),
            (heading,) if heading else (),
            text,
            f"https://help.example/{article}",
            len(text.split()),
            {"section": article.partition(":")[0]},
        )
        for article, parts in TEXTS.items()
        for position, (heading, text) in enumerate(parts)
    ]


@pytest.fixture
def store(tmp_path: Path) -> ChromaStore:
    store = ChromaStore(connect(tmp_path, None), "shop", "hashed-words")
    store.create()
    rows = passages()
    store.write(rows, HashedWords()([row.embedding_text for row in rows]), ["d"] * len(rows), [1] * len(rows))
    return store


@pytest.fixture
def model() -> WordOverlap:
    return WordOverlap()


@pytest.fixture
def retriever(store: ChromaStore, model: WordOverlap) -> Iterator[Retriever]:
    embed, score = Batcher("embed", HashedWords(), 64, 512), Batcher("rerank", model, 64, 512)

    def build(**settings: Any) -> HybridRetriever:
        chosen = Retrieval.model_validate(settings)
        held = snapshots.build(*store.dump())
        reads = reader(held, score if chosen.rerank_depth else None, chosen.rerank_depth or 6)
        return HybridRetriever(held, store.search, embed, reads, chosen, None)

    with ExitStack() as stack:
        stack.callback(embed.close)
        stack.callback(score.close)
        yield build


def ids(evidence: Evidence) -> list[str]:
    return [hit.passage.id for hit in evidence.hits]


def held_by(store: ChromaStore) -> tuple[snapshots.Snapshot, SectionReader]:
    """What a store holds, and a reader of it without a model."""
    held = snapshots.build(*store.dump())
    return held, reader(held, None)


async def test_a_probe_holds_the_label_scores_of_a_message(store: ChromaStore) -> None:
    asked: list[str] = []

    def message_scorer(texts: list[str]) -> list[MessageScores]:
        asked.extend(texts)
        return [MessageScores(np.full(5, len(text), np.float32)) for text in texts]

    embed, scorer = Batcher("embed", HashedWords(), 64, 512), Batcher("label", message_scorer, 64, 512, remember=8)
    with closing(embed), closing(scorer):
        held, reads = held_by(store)
        retriever = HybridRetriever(held, store.search, embed, reads, Retrieval(), message_scorer=scorer)
        text = "I sold a lamp. How do I refund it?"
        retriever.foresee(text)
        whole = await retriever.probe(text)

    assert whole.label_scores is not None and whole.label_scores[0] == len(text)
    assert asked == [text]


async def test_a_foreign_message_is_heard_with_and_without_courtesies(store: ChromaStore) -> None:
    asked: list[str] = []

    def message_scorer(texts: list[str]) -> list[MessageScores]:
        asked.extend(texts)
        if "busy" in texts[0]:
            raise RetryableError("too much to do")
        return [MessageScores(np.zeros(5, np.float32)) for _ in texts]

    embed, scorer = (
        Batcher("embed", HashedWords(), 64, 512),
        Batcher("label_foreign", message_scorer, 64, 512, remember=8),
    )
    with closing(embed), closing(scorer):
        held, reads = held_by(store)
        retriever = HybridRetriever(held, store.search, embed, reads, Retrieval(), foreign_scorer=scorer)
        retriever.foresee("Hallo! Bitte das Geld zurück")
        german = await retriever.probe("Hallo! Bitte das Geld zurück")
        swedish = await retriever.probe("Hur får jag tillbaka mina pengar för lampan?")
        busy = await retriever.probe("Ich will mein Geld zurück, busy")
        english = await retriever.probe("How do I refund a lamp?")

    assert german.foreign is not None and swedish.foreign is not None
    assert german.abroad and swedish.abroad and not english.abroad
    assert busy.foreign is None
    assert asked.count("Hallo! Bitte das Geld zurück") == asked.count("Bitte das Geld zurück") == 1


async def test_despair_is_heard_wherever_it_is_in_a_long_message(store: ChromaStore) -> None:
    def message_scorer(texts: list[str]) -> list[MessageScores]:
        return [
            MessageScores(
                np.zeros(5, np.float32),
                understood_as(crisis=0.9 if "dark" in text[-160:] else 0.1, depends=0.9 if text == said else 0.2),
            )
            for text in texts
        ]

    said = f"{'The lamp flickers. ' * 20}All is dark for me. {'The lamp flickers. ' * 20}".strip()
    embed, scorer = Batcher("embed", HashedWords(), 64, 512), Batcher("label_foreign", message_scorer, 64, 512)
    with closing(embed), closing(scorer):
        held, reads = held_by(store)
        abroad = HybridRetriever(held, store.search, embed, reads, Retrieval(), foreign_scorer=scorer)
        english = HybridRetriever(held, store.search, embed, reads, Retrieval(), message_scorer=scorer)
        probes = [await abroad.probe(said), await english.probe(said)]
        deaf = await HybridRetriever(held, store.search, embed, reads, Retrieval()).probe(said)

    assert [probe.understood for probe in probes] == [understood_as(crisis=0.9, depends=0.9)] * 2
    assert deaf.understood is None


async def test_the_section_that_says_it_comes_first_and_its_passages_with_both_scores(retriever: Retriever) -> None:
    evidence = await retriever().retrieve("order to refund a customer", {})

    best = evidence.hits[0]
    assert best.passage.id == "billing:refund/0"
    assert best.dense > 0
    assert best.keyword > 0
    assert evidence.query == "order to refund a customer"
    assert evidence.sections[0].section.headings == ("Steps",)
    assert best.final == evidence.sections[0].probability == evidence.probability
    assert evidence.signals == evidence.sections[0].signals


async def test_a_section_is_found_whole_by_any_of_its_passages(retriever: Retriever) -> None:
    evidence = await retriever().retrieve("choose the refund amount", {})

    section = evidence.sections[0].section
    assert section.passage_ids == ("billing:refund/0", "billing:refund/1", "billing:refund/2")
    assert section.text.splitlines()[::2] == [text for heading, text in TEXTS["billing:refund"] if heading == "Steps"]


async def test_what_is_read_may_be_cited_whichever_of_its_passages_was_found(retriever: Retriever) -> None:
    evidence = await retriever(dense_k=1, keyword_k=0).retrieve("choose the refund amount", {})

    assert {one.section.passage_ids[0] for one in evidence.sections} <= evidence.given.keys()


async def test_what_is_under_discussion_may_be_cited_too(retriever: Retriever) -> None:
    favoured = Wordings(favoured=("store:stock",))

    evidence = await retriever(dense_k=1, keyword_k=0).retrieve("refund", {}, None, favoured)

    assert "store:stock" in {one.section.article_id for one in evidence.sections}
    assert {one.section.passage_ids[0] for one in evidence.sections} <= evidence.given.keys()


async def test_a_filter_holds_for_what_is_under_discussion(retriever: Retriever) -> None:
    favoured = Wordings(favoured=("store:stock",))

    evidence = await retriever().retrieve("refund", {"section": "billing"}, None, favoured)

    assert {one.section.article_id for one in evidence.sections} <= {"billing:refund", "billing:invoices"}


async def test_further_wordings_are_searched_for_and_what_is_under_discussion_is_leaned_to(
    retriever: Retriever,
) -> None:
    built = retriever(top_k=8)

    alone = await built.retrieve("how many are left", {})
    beside = await built.retrieve("how many are left", {}, None, Wordings({"stock of every order": 1.0}))
    favoured = await built.retrieve("how many are left", {}, None, Wordings({"order": 0.5}, ("store:stock",)))

    def fused(evidence: Evidence) -> float:
        return max((hit.fused for hit in evidence.hits if hit.passage.article_id == "store:stock"), default=0.0)

    assert fused(beside) > fused(alone)
    assert fused(favoured) > fused(alone)
    assert "store:stock" in {one.section.article_id for one in favoured.sections}


async def test_a_code_that_the_articles_lack_is_named(tmp_path: Path) -> None:
    texts = [f"TW-{n} means that something is wrong." for n in (3001, 3002, 3003)]
    made = [Passage(f"errors/{n}", "errors", n, "Messages", (), text, "", 9) for n, text in enumerate(texts)]
    held = snapshots.build(made, HashedWords()(texts))
    with closing(Batcher("embed", HashedWords(), 64, 512)) as embed:
        built = HybridRetriever(held, lambda *_: [("errors/0", 0.9)], embed, reader(held, None), Retrieval(), None)
        listed, unlisted = await built.retrieve("TW-3001?", {}), await built.retrieve("TW-7009?", {})

    assert (tuple(listed.unlisted), tuple(unlisted.unlisted)) == ((), ("TW-7009",))
    assert unlisted.probability == 0.0


async def test_a_code_is_found_by_its_spelling_where_dense_search_prefers_another(store: ChromaStore) -> None:
    texts = {"errors:e-12": "E-12 means that the drawer is open.", "errors:e-21": "E-21 means that paper is missing."}
    made = [Passage(f"{id_}/0", id_, 0, "Messages", (), text, "", 9) for id_, text in texts.items()]
    nearest = [("errors:e-21/0", 0.9), ("errors:e-12/0", 0.8)]
    embed = Batcher("embed", HashedWords(), 64, 512)
    with closing(embed):
        vectors = np.eye(2, HashedWords()([""]).shape[1], dtype=np.float32)
        snapshot = snapshots.build(made, vectors)
        chosen = Retrieval(article_weight=0.0)
        reads = SectionReader(snapshot, None, 6, 80, gate_of({"fused": 1.0}))
        retriever = HybridRetriever(snapshot, lambda *_: nearest, embed, reads, chosen, None)

        assert ids(await retriever.retrieve("what does E-12 mean", {}))[0] == "errors:e-12/0"
        assert ids(await retriever.retrieve("what does that mean", {}))[0] == "errors:e-21/0"


async def test_no_article_fills_the_list_alone(retriever: Retriever) -> None:
    several = await retriever(max_per_article=2, top_k=5).retrieve("refund a customer", {})

    articles = [hit.passage.article_id for hit in several.hits if not hit.neighbour]
    assert articles.count("billing:refund") == 2
    assert len(articles) == 5


async def test_top_k_bounds_what_is_kept(retriever: Retriever) -> None:
    evidence = await retriever(top_k=2).retrieve("refund", {})

    assert len([hit for hit in evidence.hits if not hit.neighbour]) == 2


@pytest.mark.parametrize("switched_off", [{}, {"keyword_k": 0}])
async def test_a_filter_holds_in_both_searches(retriever: Retriever, switched_off: dict[str, int]) -> None:
    evidence = await retriever(top_k=20, **switched_off).retrieve("refund a customer order", {"section": "store"})

    assert {hit.passage.article_id for hit in evidence.hits} == {"store:returns", "store:stock"}


async def test_a_filter_that_nothing_has_finds_nothing(retriever: Retriever) -> None:
    evidence = await retriever().retrieve("refund", {"section": "legal"})

    assert list(evidence.hits) == []
    assert list(evidence.sections) == []
    assert evidence.signals == {}
    assert evidence.probability == 0.0


async def test_keyword_search_can_be_off(retriever: Retriever) -> None:
    evidence = await retriever(keyword_k=0).retrieve("refund a customer", {})

    assert evidence.hits
    assert all(hit.keyword == 0 for hit in evidence.hits)


async def test_keyword_search_finds_what_dense_search_did_not_bring(retriever: Retriever) -> None:
    evidence = await retriever(dense_k=1, top_k=20).retrieve("refund tax number", {})

    found = {hit.passage.id: hit for hit in evidence.hits}
    assert sum(hit.dense > 0 for hit in found.values()) == 1
    assert found["billing:invoices/1"].keyword > 0


async def test_reranking_can_be_off(retriever: Retriever, model: WordOverlap) -> None:
    evidence = await retriever(rerank_depth=0).retrieve("refund a customer", {})

    assert model.pairs == []
    assert evidence.sections[0].section.article_id == "billing:refund"


async def test_the_probe_of_a_text_saves_its_embedding_and_changes_nothing(retriever: Retriever) -> None:
    built = retriever()
    probe = await built.probe("refund a customer")

    assert await built.retrieve("refund a customer", {}, probe) == await built.retrieve("refund a customer", {})


async def test_words_that_no_article_has_are_searched_by_meaning_alone(retriever: Retriever) -> None:
    evidence = await retriever().retrieve("zzz qqq", {})

    assert all(hit.keyword == 0 for hit in evidence.hits)


async def test_a_store_that_does_not_answer_may_be_asked_again_later(
    retriever: Retriever, store: ChromaStore, tmp_path: Path
) -> None:
    built = retriever()
    connect(tmp_path, None).delete_collection(store.name)

    with pytest.raises(RetryableError, match="Chroma"):
        await built.retrieve("refund", {})


async def test_a_passage_that_the_snapshot_lost_is_left_out(retriever: Retriever, store: ChromaStore) -> None:
    built = retriever()
    extra = passages()[0]
    late = Passage("late:one/0", "late:one", 0, "Late", (), "refund refund", extra.url, 2, {"section": "billing"})
    store.write([late], HashedWords()(["refund refund"]), ["d"], [1])

    assert "late:one/0" not in ids(await built.retrieve("refund refund", {}))


async def test_an_index_without_passages_is_searched_and_probed_without_finding_anything(tmp_path: Path) -> None:
    empty = ChromaStore(connect(tmp_path, None), "empty", "hashed-words")
    empty.create()
    embed = Batcher("embed", HashedWords(), 64, 512)
    held, reads = held_by(empty)
    built = HybridRetriever(held, empty.search, embed, reads, Retrieval())

    probe = await built.probe("refund")
    evidence = await built.retrieve("refund", {}, probe)
    embed.close()

    assert np.isfinite(probe.embedding).all()
    assert evidence.hits == []
