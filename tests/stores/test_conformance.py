"""What every store of passages does alike. Filters are in `test_filters`, versions in `test_versions`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from handrail.errors import KnowledgeError
from handrail.knowledge import Unpublished
from handrail.stores.audience import Audience
from handrail.stores.store import Store, name_of
from handrail.types import Kind, Passage
from handrail.types import Place as OnPage
from tests.knowledge.articles import article
from tests.stores.places import Place, drawn, passage, unit
from tests.stores.test_versions import ingest, many, texts

EMBEDDER = "st:org/model"


@pytest.fixture
def store(place: Place) -> Store:
    return place.store(EMBEDDER)


def put(store: Store, *rows: Passage, digest: str = "d") -> None:
    """All with the same vector."""
    store.write(rows, np.tile(unit(1, 0), (len(rows), 1)), [digest] * len(rows), [1] * len(rows))


def found(store: Store, *audience: Audience, **filters: str) -> set[str]:
    return {id_.partition("/")[0] for id_, _ in store.search(unit(1, 0), 5, filters, *audience)}


def test_passages_come_back_as_they_were_written_and_in_order(store: Store) -> None:
    drawing = replace(
        passage("b", 1), kind=Kind.ROW, places=(OnPage(3, (1.0, 2.0, 3.5, 4.0)), OnPage(4, None)), headings=()
    )
    written = [drawing, passage("b", 0, section="Team", tags="a\nb", updated="2026-01-31"), passage("a")]
    vectors = np.stack([unit(1, 0), unit(0, 1), unit(1, 1)])

    store.write(written, vectors, ["d"] * 3, [2, 2, 1])

    passages, read = store.dump()
    assert passages == [written[2], written[1], written[0]]
    assert read.dtype == np.float32 and np.allclose(read, vectors[[2, 1, 0]])


@pytest.mark.parametrize("id_", ["помощь:возврат", "帮助/退款", "o'brien; DROP TABLE x --", "a b\tc", "🛟", "x" * 500])
def test_an_id_may_be_any_text(store: Store, id_: str) -> None:
    put(store, passage(id_), passage("other"))

    assert {one.article_id for one in store.dump()[0]} == {id_, "other"}
    assert {i for i, _ in store.search(unit(1, 0), 5, {"document_id": id_})} == {f"{id_}/0"}
    assert store.stamps()[id_].current("d")

    store.delete([f"{id_}/0"])
    assert set(store.stamps()) == {"other"}


def test_ids_that_differ_in_case_or_accents_alone_are_different_ids(store: Store) -> None:
    put(store, passage("Refund"), passage("refund"), passage("réfund"))

    assert store.count() == 3


def test_a_text_may_hold_what_no_one_types(store: Store) -> None:
    odd = replace(passage("a"), text="NUL \x00, a line\u2028separator, \ufeff, 🛟 and {braces}:name")
    put(store, odd)

    assert store.dump()[0] == [odd]


def test_writing_again_replaces_the_whole_passage(store: Store) -> None:
    put(store, passage("a", section="Team", tags="x"), digest="old")
    again = replace(passage("a"), text="New words.")

    store.write([again], unit(0, 1)[None], ["new"], [1])

    assert store.dump()[0] == [again] and store.stamps()["a"].current("new")
    assert store.search(unit(0, 1), 1, {})[0][1] == pytest.approx(1.0)
    assert found(store, section="Team") == set()


def test_ids_that_come_twice_are_refused_and_nothing_is_written(store: Store) -> None:
    with pytest.raises(KnowledgeError, match="'a/0'"):
        put(store, passage("a"), passage("b"), passage("a"))

    assert store.count() == 0


def test_deleting_takes_what_is_named_and_minds_nothing_else(store: Store) -> None:
    put(store, passage("a"), passage("b"))

    store.delete(["a/0", "never/0"])
    store.delete([])

    assert found(store) == set(store.stamps()) == {"b"}


def test_an_empty_store_is_read_like_any_other(store: Store) -> None:
    store.write([], np.zeros((0, 2), dtype=np.float32), [], [])
    store.delete(["a/0"])

    passages, vectors = store.dump()
    assert (passages, len(vectors), store.count(), store.stamps()) == ([], 0, 0, {})
    assert (store.search(unit(1, 0), 5, {"section": "Team"}), store.vectors({"a/0": "d"})) == ([], {})


def test_search_gives_cosines_best_first_and_no_more_than_asked_for(store: Store) -> None:
    rows = [passage("a"), passage("b"), passage("c")]
    store.write(rows, np.stack([unit(1, 0), unit(1, 1), unit(-1, 0)]), ["d"] * 3, [1] * 3)

    nearest = store.search(unit(1, 0), 5, {})

    assert [id_ for id_, _ in nearest] == ["a/0", "b/0", "c/0"]
    assert [round(cosine, 3) for _, cosine in nearest] == [1.0, 0.707, -1.0]
    assert store.search(unit(1, 0), 2, {}) == nearest[:2]


@pytest.mark.slow
def test_search_finds_the_nearest_of_many(store: Store) -> None:
    """Chroma's graph as it comes finds 0.94 of them."""
    vectors = drawn(4000)
    passages = [passage(str(n)) for n in range(len(vectors))]
    store.write(passages, vectors, ["d"] * len(passages), [1] * len(passages))
    store.finish("g")

    def share(row: int) -> float:
        nearest = {passages[one].id for one in np.argsort(-(vectors @ vectors[row]))[:50]}
        return len(nearest & {id_ for id_, _ in store.search(vectors[row], 50, {})}) / 50

    assert np.mean([share(row) for row in range(0, 4000, 80)]) > 0.99


@pytest.mark.slow
def test_the_few_that_a_filter_leaves_are_all_found_among_many(store: Store) -> None:
    """Those that are farthest from the query, which a graph comes to last."""
    vectors = drawn(3000)
    far = set(np.argsort(vectors @ vectors[0])[:3].tolist())
    rows = [passage(str(n), section="Rare" if n in far else "Common") for n in range(len(vectors))]
    store.write(rows, vectors, ["d"] * len(rows), [1] * len(rows))
    store.finish("g")

    assert {int(id_.partition("/")[0]) for id_, _ in store.search(vectors[0], 50, {"section": "Rare"})} == far


def test_vectors_of_another_width_are_one_clear_error_and_change_nothing(store: Store) -> None:
    put(store, passage("a"))

    with pytest.raises(KnowledgeError, match=r"2 dimensions.*makes 3.*models\.embedder"):
        store.write([passage("b")], unit(1, 0, 0)[None], ["d"], [1])
    with pytest.raises(KnowledgeError, match=r"2 dimensions.*makes 3.*models\.embedder"):
        store.search(unit(1, 0, 0), 5, {})

    store.open()
    assert found(store) == {"a"}


def test_stamps_tell_finished_articles_from_interrupted_ones(store: Store) -> None:
    rows = [passage("whole", 0), passage("whole", 1), passage("half", 0)]
    store.write(rows, np.stack([unit(1, 0)] * 3), ["new"] * 3, [2, 2, 2])

    stamps = store.stamps()

    assert stamps["whole"].current("new")
    assert not stamps["whole"].current("newer")
    assert not stamps["half"].current("new")


def test_vectors_are_given_only_for_the_text_they_are_of(store: Store) -> None:
    put(store, passage("a"), passage("b"))

    held = store.vectors({"a/0": "d", "b/0": "another", "never/0": "d"})

    assert set(held) == {"a/0"} and np.allclose(held["a/0"], unit(1, 0))


@pytest.mark.slow
def test_more_passages_than_a_page_are_all_read(store: Store) -> None:
    rows = [passage("a", n) for n in range(2100)]
    store.write(rows, np.tile(unit(1, 0), (2100, 1)), ["d"] * 2100, [2100] * 2100)

    assert len(store.dump()[0]) == len(store.stamps()["a"].digests) == store.count() == 2100

    store.delete([row.id for row in rows])
    assert store.count() == 0


def test_marks_are_kept_and_creating_again_keeps_what_is_there(place: Place) -> None:
    store = place.store(EMBEDDER)
    put(store, passage("a"))
    store.begin()
    assert "half built" in store.incomplete
    store.finish("first", 7)
    store.mark({"own": "mark"})

    again = place.store(EMBEDDER)

    assert (again.generation, again.front_matter, again.incomplete, again.count()) == ("first", 7, "", 1)
    assert (again.metadata["own"], again.metadata["kb"], again.name) == ("mark", place.kb, name_of(place.kb, EMBEDDER))


def test_embedders_are_apart(place: Place) -> None:
    for number, embedder in enumerate(("st:org/a", "tiny")):
        put(place.store(embedder), passage(f"a{number}"))

    assert [found(place.store(embedder)) for embedder in ("st:org/a", "tiny")] == [{"a0"}, {"a1"}]


class TestAudience:
    ROWS = (passage("refunds"), passage("orders", audience="public"), passage("goodwill", audience="agents"))

    def test_a_search_that_names_no_audience_is_the_public_s(self, store: Store) -> None:
        put(store, *self.ROWS)

        assert found(store) == found(store, Audience.PUBLIC) == {"refunds", "orders"}
        assert found(store, Audience.AGENTS) == {"refunds", "orders", "goodwill"}
        assert {one.article_id for one in store.dump()[0]} == {"refunds", "orders"}
        assert len(store.dump(Audience.AGENTS)[1]) == 3

    @pytest.mark.parametrize("audience", Audience)
    def test_pages_hold_what_a_dump_holds_in_its_order(self, store: Store, audience: Audience) -> None:
        put(store, *self.ROWS)
        passages, vectors = store.dump(audience)

        pages = list(store.pages(audience))

        assert [one for page, _ in pages for one in page] == passages
        assert np.array_equal(np.concatenate([rows for _, rows in pages]), vectors)

    def test_what_is_for_agents_takes_no_place_among_the_best(self, store: Store) -> None:
        put(store, *(passage(f"g{n}", audience="agents") for n in range(20)), passage("refunds"))

        assert [id_ for id_, _ in store.search(unit(1, 0), 3, {})] == ["refunds/0"]

    @pytest.mark.parametrize(
        ("audience", "wanted", "ids"),
        [
            (Audience.PUBLIC, "public", {"refunds", "orders"}),
            (Audience.PUBLIC, "agents", set()),
            (Audience.AGENTS, "public", {"refunds", "orders"}),
            (Audience.AGENTS, "agents", {"goodwill"}),
        ],
    )
    def test_a_filter_narrows_what_the_audience_may_read_and_never_widens_it(
        self, store: Store, audience: Audience, wanted: str, ids: set[str]
    ) -> None:
        put(store, *self.ROWS)

        assert found(store, audience, audience=wanted) == ids

    def test_what_is_written_later_is_kept_back_too(self, store: Store) -> None:
        put(store, passage("refunds"))
        assert found(store) == {"refunds"}

        put(store, passage("goodwill", audience="agents"))
        assert found(store) == {"refunds"}

        put(store, passage("refunds", audience="agents"))
        assert found(store) == set()


def test_a_knowledge_base_whose_last_page_was_withdrawn_is_empty_and_can_be_filled_again(place: Place) -> None:
    versions = place.versions("hashed-words")
    ingest(versions, article("Words.", "a"))
    assert ingest(versions, Unpublished("a", "a.md", "draft: true")).removed == 1
    assert texts(versions) == {}
    ingest(versions, *many(2))
    assert len(texts(versions)) == 2
