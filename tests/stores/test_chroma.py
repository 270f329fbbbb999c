"""One knowledge base in a real Chroma, on disk and on a server."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import numpy as np
import pytest

from handrail.errors import KnowledgeError, RetryableError, SettingsError
from handrail.stores.chroma import ChromaStore, connect, remove_database
from handrail.stores.version_collections import VersionCollections
from handrail.types import Passage, Vectors
from tests.knowledge.articles import Given, HashedWords, Index, article
from tests.stores.test_versions import ingest, texts

SEARCH = """
import sys
from pathlib import Path
from handrail.stores.chroma import ChromaStore, connect, remove_database
from tests.knowledge.articles import HashedWords
store = ChromaStore(connect(Path("unused"), sys.argv[1]), "acme", "hashed-words")
store.open()
print(store.search(HashedWords()(["refund"])[0], 1, {})[0][0], store.generation)
"""


def passage(article_id: str, position: int = 0, **facets: str) -> Passage:
    return Passage(
        f"{article_id}/{position}",
        article_id,
        position,
        f"Title of {article_id}",
        ("Über", "Steps"),
        "Text, with “quotes” and\nlines.",
        f"https://help.example/{article_id}",
        12,
        facets,
    )


def unit(*values: float) -> Vectors:
    vector = np.asarray(values, dtype=np.float32)
    normed: Vectors = vector / np.linalg.norm(vector)
    return normed


def store_in(folder: Path, kb: str = "acme", embedder: str = "tiny") -> ChromaStore:
    store = ChromaStore(connect(folder, None), kb, embedder)
    store.create()
    return store


def test_passages_come_back_as_they_were_written_and_in_order(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    written = [passage("b", 1), passage("b", 0, section="Team"), passage("a")]
    vectors = np.stack([unit(1, 0), unit(0, 1), unit(1, 1)])

    store.write(written, vectors, ["d"] * 3, [2, 2, 1])

    passages, read = store.dump()
    assert passages == [written[2], written[1], written[0]]
    assert np.allclose(read, vectors[[2, 1, 0]])


def test_search_gives_cosines_best_first(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    store.write([passage("a"), passage("b")], np.stack([unit(1, 0), unit(1, 1)]), ["d", "d"], [1, 1])

    found = store.search(unit(1, 0), 5, {})

    assert [id_ for id_, _ in found] == ["a/0", "b/0"]
    assert [round(cosine, 3) for _, cosine in found] == [1.0, 0.707]


def test_search_finds_the_nearest_of_many(tmp_path: Path) -> None:
    """Of vectors that lie apart in every direction, the hardest there are; Chroma's own graph finds 0.94 of them."""
    drawn = np.random.default_rng(4).normal(size=(4000, 256))
    vectors = np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True), dtype=np.float32)
    store = ChromaStore(connect(tmp_path, None), "acme", "model")
    store.create()
    passages = [passage(str(n)) for n in range(len(vectors))]
    store.write(passages, vectors, ["d"] * len(passages), [1] * len(passages))

    def found(asked: Vectors) -> float:
        nearest = {passages[row].id for row in np.argsort(-(vectors @ asked))[:50]}
        return len(nearest & {id_ for id_, _ in store.search(asked, 50, {})}) / 50

    assert np.mean([found(vector) for vector in vectors[::80]]) > 0.99


def test_filters_select_by_facet(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    rows = [passage("a", section="Team", lang="en"), passage("b", section="Team", lang="de"), passage("c")]
    store.write(rows, np.stack([unit(1, 0)] * 3), ["d"] * 3, [1] * 3)

    assert {i for i, _ in store.search(unit(1, 0), 5, {"section": "Team"})} == {"a/0", "b/0"}
    assert {i for i, _ in store.search(unit(1, 0), 5, {"section": "Team", "lang": "de"})} == {"b/0"}
    assert store.search(unit(1, 0), 5, {"section": "Nobody"}) == []


def test_stamps_tell_finished_articles_from_interrupted_ones(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    rows = [passage("whole", 0), passage("whole", 1), passage("half", 0)]
    store.write(rows, np.stack([unit(1, 0)] * 3), ["new"] * 3, [2, 2, 2])

    stamps = store.stamps()

    assert stamps["whole"].current("new")
    assert not stamps["whole"].current("newer")
    assert not stamps["half"].current("new")


def test_more_passages_than_a_page_are_all_read(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    rows = [passage("a", n) for n in range(2100)]
    store.write(rows, np.tile(unit(1, 0), (2100, 1)), ["d"] * 2100, [2100] * 2100)

    assert len(store.dump()[0]) == len(store.stamps()["a"].digests) == store.count() == 2100

    store.delete([row.id for row in rows])
    assert store.count() == 0


def test_creating_again_keeps_what_is_there(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    store.write([passage("a")], unit(1, 0)[None], ["d"], [1])
    store.finish("first")

    again = store_in(tmp_path)

    assert (again.generation, again.count()) == ("first", 1)


def test_knowledge_bases_and_embedders_are_apart(tmp_path: Path) -> None:
    stores = [store_in(tmp_path, *names) for names in (("acme", "st:org/a"), ("acme", "tiny"), ("other", "tiny"))]
    for number, store in enumerate(stores):
        store.write([passage(f"a{number}")], unit(1, 0)[None], ["d"], [1])

    assert [store.search(unit(1, 0), 5, {})[0][0] for store in stores] == ["a0/0", "a1/0", "a2/0"]


def test_what_is_not_indexed_says_how_to_index_it(tmp_path: Path) -> None:
    with pytest.raises(KnowledgeError, match=r"run `handrail ingest PATH --kb acme`"):
        ChromaStore(connect(tmp_path, None), "acme", "tiny").open()


def test_a_wrong_address_is_a_wrong_setting(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"storage\.chroma_url = 'localhost:8000' is not an http"):
        connect(tmp_path, "localhost:8000")


def test_a_server_that_is_away_is_worth_another_try(tmp_path: Path) -> None:
    with pytest.raises(RetryableError, match=r"Chroma .* http://127\.0\.0\.1:9"):
        connect(tmp_path, "http://127.0.0.1:9")


@contextmanager
def chroma_server(folder: Path) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    chroma = str(Path(sys.executable).with_name("chroma"))
    command = [chroma, "run", "--host", "127.0.0.1", "--port", str(port), "--path", str(folder)]
    url = f"http://127.0.0.1:{port}"
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            _wait_for(url)
            yield url
        finally:
            process.terminate()


def _wait_for(url: str, seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            httpx.get(f"{url}/api/v2/heartbeat", timeout=1).raise_for_status()
            return
        except httpx.HTTPError:
            time.sleep(0.1)
    raise AssertionError(f"no Chroma server at {url} after {seconds} s")


def test_a_server_is_written_by_one_process_and_searched_by_another(tmp_path: Path) -> None:
    articles = Given(article("Open the order and choose refund.", "refunds"), article("Open domains.", "domains"))
    with chroma_server(tmp_path / "server") as url:
        index = Index(tmp_path, url)
        index.run(articles)
        assert index.run(articles).embedded == 0

        found = subprocess.run([sys.executable, "-c", SEARCH, url], capture_output=True, text=True, check=True).stdout

        assert found.split() == ["refunds/0", index.store.generation]

    with pytest.raises(RetryableError, match="Chroma"):
        index.store.search(HashedWords()(["refund"])[0], 1, {})


def test_what_one_process_makes_current_on_a_server_is_what_another_reads_next(tmp_path: Path) -> None:
    with chroma_server(tmp_path / "server") as url:
        writer, reader = (VersionCollections(connect(tmp_path, url), "acme", "hashed-words") for _ in range(2))
        ingest(writer, article("Old words.", "a"))
        with reader.read() as before:
            ingest(writer, article("New words.", "a"))

            assert [passage.text for passage in before.dump()[0]] == ["Old words."]
        assert (reader.current(), texts(reader)) == (2, {"a/0": "New words."})
        writer.choose()
        assert (reader.current(), texts(reader)) == (1, {"a/0": "Old words."})


def test_on_a_server_each_company_has_a_database_of_its_own(tmp_path: Path) -> None:
    def opened(url: str, tenant: str) -> ChromaStore:
        store = ChromaStore(connect(tmp_path, url, tenant), "shop", "tiny")
        store.open()
        return store

    def found(url: str, tenant: str) -> list[str]:
        return [id_ for id_, _ in opened(url, tenant).search(unit(1, 0), 5, {})]

    companies = ("default", "acme", "globex")
    with chroma_server(tmp_path / "server") as url:
        for tenant in companies:
            store = ChromaStore(connect(tmp_path, url, tenant), "shop", "tiny")
            store.create()
            store.write([passage(f"of-{tenant}")], np.stack([unit(1, 0)]), ["d"], [1])
        assert [found(url, tenant) for tenant in companies] == [[f"of-{tenant}/0"] for tenant in companies]

        remove_database(url, "acme")
        remove_database(url, "acme")  # there is nothing left to remove

        with pytest.raises(KnowledgeError):
            opened(url, "acme")
        assert [found(url, tenant) for tenant in ("default", "globex")] == [["of-default/0"], ["of-globex/0"]]
