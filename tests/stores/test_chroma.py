"""One knowledge base in a real Chroma, on disk and on a server."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from handrail.errors import KnowledgeError, RetryableError, SettingsError
from handrail.stores.chroma import ChromaStore
from handrail.stores.chroma_client import connect, remove_database
from tests.knowledge.articles import Given, HashedWords, Index, article
from tests.stores.places import chroma_server, passage, unit

SEARCH = """
import sys
from pathlib import Path
from handrail.stores.chroma import ChromaStore
from handrail.stores.chroma_client import connect
from tests.knowledge.articles import HashedWords
store = ChromaStore(connect(Path("unused"), sys.argv[1]), "acme", "hashed-words")
store.open()
print(store.search(HashedWords()(["refund"])[0], 1, {})[0][0], store.generation)
"""


def store_in(folder: Path, kb: str = "acme", embedder: str = "tiny") -> ChromaStore:
    store = ChromaStore(connect(folder, None), kb, embedder)
    store.create()
    return store


def test_knowledge_bases_and_embedders_are_apart(tmp_path: Path) -> None:
    stores = [store_in(tmp_path, *names) for names in (("acme", "st:org/a"), ("acme", "tiny"), ("other", "tiny"))]
    for number, store in enumerate(stores):
        store.write([passage(f"a{number}")], unit(1, 0)[None], ["d"], [1])

    assert [store.search(unit(1, 0), 5, {})[0][0] for store in stores] == ["a0/0", "a1/0", "a2/0"]


def test_a_wrong_address_is_a_wrong_setting(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"storage\.chroma_url is not an http"):
        connect(tmp_path, "localhost:8000")


def test_a_server_that_is_away_is_worth_another_try(tmp_path: Path) -> None:
    with pytest.raises(RetryableError, match=r"Chroma .* http://127\.0\.0\.1:9"):
        connect(tmp_path, "http://127.0.0.1:9")


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
            store.write([passage(f"of-{tenant}")], unit(1, 0)[None], ["d"], [1])
        assert [found(url, tenant) for tenant in companies] == [[f"of-{tenant}/0"] for tenant in companies]

        remove_database(url, "acme")
        remove_database(url, "acme")  # there is nothing left to remove

        with pytest.raises(KnowledgeError):
            opened(url, "acme")
        assert [found(url, tenant) for tenant in ("default", "globex")] == [["of-default/0"], ["of-globex/0"]]
