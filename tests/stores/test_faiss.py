"""What FAISS does beyond the conformance suite: many vectors, which are no longer all compared."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from eval.scale.generated import Generated
from handrail.errors import IndexBusy
from handrail.stores import faiss
from handrail.stores.audience import Audience
from handrail.stores.faiss import NEAREST, FaissServer, FaissStore
from tests.stores.places import created, passage

COUNT, K = 3000, 10


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> FaissStore:
    """Every tenth is for agents; one in a hundred is in the section `Rare`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(faiss, "COMPARED", 1000)
        store = FaissStore(tmp_path_factory.mktemp("index"), "acme", "st:org/model")
        created(store)
        section = ["Rare" if n % 100 == 1 else "Common" for n in range(COUNT)]
        audience = ["public" if n % 10 else "agents" for n in range(COUNT)]
        rows = [passage(str(n), section=section[n], audience=audience[n]) for n in range(COUNT)]
        store.write(rows, VECTORS, ["d"] * COUNT, [1] * COUNT)
        store.finish("g")
    return store


VECTORS = np.concatenate(list(Generated(COUNT).vectors()))
QUERIES = Generated(COUNT).queries(40)


def share(store: FaissStore, rows: NDArray[np.int64], audience: Audience = Audience.PUBLIC, **filters: str) -> float:
    """Of the nearest among `rows`, those that are found."""
    found = []
    for query in QUERIES:
        nearest = rows[np.argsort(-(VECTORS[rows] @ query))[:K]]
        ids = {id_ for id_, _ in store.search(query, K, filters, audience)}
        found.append(len(ids & {f"{row}/0" for row in nearest}) / K)
    return float(np.mean(found))


def test_nearly_all_of_the_nearest_are_found_without_comparing_every_vector(many: FaissStore) -> None:
    assert (many._place / NEAREST).is_file()
    assert share(many, np.arange(COUNT), Audience.AGENTS) > 0.95


def test_pages_are_small_and_in_order(many: FaissStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faiss, "PAGE", 100)

    pages = list(many.pages(Audience.AGENTS))

    assert [len(page) for page, _ in pages] == [len(rows) for _, rows in pages] == [100] * (COUNT // 100)
    ids = [one.article_id for page, _ in pages for one in page]
    assert ids == sorted(ids)
    assert np.array_equal(np.concatenate([rows for _, rows in pages]), VECTORS[np.array(ids, dtype=int)])


def test_filters_and_audience_leave_the_nearest_of_the_rest(many: FaissStore) -> None:
    rows = np.arange(COUNT)

    assert share(many, rows[rows % 10 != 0]) > 0.95
    assert share(many, rows[rows % 100 == 1], section="Rare") == 1.0
    assert many.search(QUERIES[0], K, {"section": "None"}) == []


def test_cosines_are_of_the_vectors_themselves(many: FaissStore) -> None:
    for id_, cosine in many.search(QUERIES[0], K, {}):
        assert cosine == pytest.approx(float(VECTORS[int(id_.partition("/")[0])] @ QUERIES[0]), abs=1e-6)


def test_a_change_is_found_at_once_and_the_next_run_makes_the_file_again(tmp_path: Path) -> None:
    server = FaissServer(tmp_path)
    store = created(server.store("acme", "st:org/model"))
    store.write([passage(str(n)) for n in range(50)], VECTORS[:50], ["d"] * 50, [1] * 50)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(faiss, "COMPARED", 10)
        store.finish("g")
        assert store.search(VECTORS[99], 1, {})[0][1] < 0.99

        store.write([passage("99")], VECTORS[99:100], ["d"], [1])
        assert store.search(VECTORS[99], 1, {})[0][0] == "99/0"
        store.finish("h")
    again = server.store("acme", "st:org/model")
    again.open()
    assert again.search(VECTORS[99], 1, {})[0][0] == "99/0"


def test_a_collection_that_is_read_is_not_removed(tmp_path: Path) -> None:
    server = FaissServer(tmp_path)
    store = created(server.store("acme", "st:org/model"))
    release = server.reading(store.collection)

    with pytest.raises(IndexBusy):
        server.remove(store.collection)
    release()
    server.remove(store.collection)

    assert server.collections() == []
    server.reading(store.collection)()
    assert list(tmp_path.iterdir()) == []
