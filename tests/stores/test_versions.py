"""Versions of a knowledge base: one is built beside the other, and takes its place in one step."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from handrail.assembly.index import Writing
from handrail.errors import IndexIncomplete, KnowledgeError
from handrail.knowledge import Article, Unpublished
from handrail.knowledge.ingest import BATCH, Ingest, Report, difference
from handrail.stores.version_folders import VersionFolders
from handrail.stores.versions import KEPT, OLD, Versions
from handrail.types import Vectors
from tests.knowledge.articles import Given, HashedWords, Index, article, chunker
from tests.stores.places import Place

Make = Callable[[str], Versions]


class Killed(Exception):
    """Stands for a process that dies while it embeds."""


class Dies(HashedWords):
    """After `batches` of them."""

    def __init__(self, batches: int) -> None:
        super().__init__()
        self._left = batches

    def __call__(self, texts: Sequence[str]) -> Vectors:
        if not self._left:
            raise Killed
        self._left -= 1
        return super().__call__(texts)


@pytest.fixture
def make(place: Place) -> Make:
    """The versions with one embedder, in every place."""
    return place.versions


@pytest.fixture
def versions(make: Make) -> Versions:
    return make("hashed-words")


def ingest(versions: Versions, *articles: Article | Unpublished, embed: HashedWords | None = None) -> Report:
    made = Writing(versions, needed=False)
    try:
        store = made.store or made.begin()
        report = Ingest(store, chunker(), embed or HashedWords(), lambda: 0.0, place=made).run(
            [Given(*articles)], lambda done, total: None
        )
        report.version = made.publish()
    finally:
        made.release()
    return report


def texts(versions: Versions) -> dict[str, str]:
    with versions.read() as store:
        return {passage.id: passage.text for passage in store.dump()[0]}


def numbers(versions: Versions) -> list[int]:
    return [version.number for version in versions.complete()]


def many(count: int) -> list[Article]:
    return [article(f"Article number {n}.", f"a{n:03}") for n in range(count)]


def test_a_version_that_is_read_stays_as_it_is_and_the_next_reader_gets_the_new_one(versions: Versions) -> None:
    ingest(versions, article("Old words.", "a"))
    with versions.read() as before:
        ingest(versions, article("New words.", "a"), article("More.", "b"))

        assert [passage.text for passage in before.dump()[0]] == ["Old words."]
        assert before.search(HashedWords()(["Old"])[0], 5, {})[0][0] == "a/0"
    assert texts(versions) == {"a/0": "New words.", "b/0": "More."}


def test_only_what_changed_is_embedded_and_nothing_is_written_where_nothing_did(versions: Versions) -> None:
    ingest(versions, article("One.", "a"), article("Two.", "b"))
    embed = HashedWords()

    second = ingest(versions, article("One.", "a"), article("Three.", "b"), embed=embed)
    third = ingest(versions, article("One.", "a"), article("Three.", "b"), embed=embed)

    assert (second.version, second.changed, second.unchanged, len(embed.seen)) == (2, 1, 1, 1)
    assert (third.version, numbers(versions)) == (2, [2, 1])


def test_a_first_run_that_died_is_not_read_and_says_what_to_run(versions: Versions) -> None:
    with pytest.raises(KnowledgeError, match="is not indexed"):
        versions.read()
    with pytest.raises(Killed):
        ingest(versions, article("One.", "a"), embed=Dies(0))

    with pytest.raises(IndexIncomplete, match="handrail ingest"):
        versions.read()


def test_what_a_run_that_died_had_embedded_is_used_and_what_it_left_is_removed(versions: Versions) -> None:
    ingest(versions, article("One.", "a"))
    articles = many(BATCH + 5)
    with pytest.raises(Killed):
        ingest(versions, *articles, embed=Dies(1))
    assert texts(versions) == {"a/0": "One."}

    report = ingest(versions, *articles)

    assert (report.embedded, report.added, report.removed, report.passages) == (5, BATCH + 5, 1, BATCH + 5)
    assert len(texts(versions)) == BATCH + 5
    assert [version.number for version in versions.found()] == [3, 1]


def test_vectors_of_a_run_that_died_are_not_used_for_another_text(versions: Versions) -> None:
    with pytest.raises(Killed):
        ingest(versions, *many(BATCH), article("Zoo.", "z"), embed=Dies(1))

    report = ingest(versions, article("Article number 0, changed.", "a000"), *many(3)[1:])

    assert report.embedded == 1
    assert texts(versions)["a000/0"] == "Article number 0, changed."


def test_the_last_versions_are_kept_and_those_that_are_read(versions: Versions) -> None:
    for number in range(KEPT + 2):
        ingest(versions, article(f"Words {number}.", "a"))

    assert numbers(versions) == [5, 4, 3]


def test_a_version_on_disk_is_not_removed_while_it_is_read(tmp_path: Path) -> None:
    versions = VersionFolders(tmp_path / "acme", tmp_path, "acme", "hashed-words")
    ingest(versions, article("Words 0.", "a"))
    with versions.read() as first:
        for number in range(1, KEPT + 1):
            ingest(versions, article(f"Words {number}.", "a"))
        assert [passage.text for passage in first.dump()[0]] == ["Words 0."]
        assert numbers(versions) == [4, 3, 2, 1]

    ingest(versions, article("Words again.", "a"))
    assert numbers(versions) == [5, 4, 3]


def test_going_back_gives_the_earlier_words_and_the_next_run_builds_on_them(versions: Versions) -> None:
    for number in range(3):
        ingest(versions, article(f"Words {number}.", "a"))

    assert versions.choose().number == 2
    assert texts(versions) == {"a/0": "Words 1."}
    assert versions.choose(1).number == 1
    assert texts(versions) == {"a/0": "Words 0."}
    with pytest.raises(KnowledgeError, match="no version before the current one"):
        versions.choose()
    with pytest.raises(KnowledgeError, match=r"no version 9 \(it has 3, 2, 1\)"):
        versions.choose(9)

    assert ingest(versions, article("Words 0.", "a"), article("More.", "b")).unchanged == 1
    assert texts(versions) == {"a/0": "Words 0.", "b/0": "More."}


def test_each_embedder_has_its_own_current_version(make: Make) -> None:
    first, second = make("hashed-words"), make("st:org/other")
    ingest(first, article("One.", "a"))
    ingest(second, article("Two.", "a"))

    assert (texts(first), texts(second)) == ({"a/0": "One."}, {"a/0": "Two."})


def test_articles_are_told_apart_between_versions(versions: Versions) -> None:
    ingest(versions, article("One.", "a"), article("Two.", "b"), article("Three.", "c"))
    ingest(versions, article("One.", "a"), article("Two, changed.", "b"), article("Four.", "d"))

    with versions.open(1) as before, versions.open(2) as after:
        found = difference(before.stamps(), after.stamps())

    assert (found.added, found.changed, found.removed) == (["d"], ["b"], ["c"])


@pytest.mark.parametrize("place", ["", "kb/acme"])
def test_an_index_from_before_there_were_versions_is_read_and_taken_over(place: str, tmp_path: Path) -> None:
    old = Index(tmp_path / place)
    old.run(Given(article("One.", "a"), article("Two.", "b")))
    versions = VersionFolders(tmp_path / "kb" / "acme", tmp_path, "acme", "hashed-words")
    assert (versions.current(), texts(versions)) == (OLD, {"a/0": "One.", "b/0": "Two."})

    report = ingest(versions, article("One.", "a"), article("Three.", "b"))

    assert (report.embedded, versions.current()) == (1, 1)
    assert texts(versions) == {"a/0": "One.", "b/0": "Three."}
    assert old.ids() == ["a/0", "b/0"]
    versions.choose(OLD)
    assert texts(versions)["b/0"] == "Two."


def test_a_current_version_that_is_missing_stops_only_a_run_that_needs_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    versions = VersionFolders(tmp_path / "kb", tmp_path, "acme", "hashed-words")
    ingest(versions, article("Old words.", "a"))
    shutil.rmtree(tmp_path / "kb" / "versions" / "1")

    with pytest.raises(KnowledgeError, match="no version 1 any more"):
        versions.base(needed=True)
    ingest(versions, article("New words.", "a"))

    assert texts(versions) == {"a/0": "New words."}
    assert "All articles are indexed again" in caplog.text


def test_what_is_read_is_told_from_what_was_made_after_it_under_the_same_number(versions: Versions) -> None:
    ingest(versions, article("Old words.", "a"))
    with versions.read() as _:
        opened = versions.open(versions.current() or 0)
        assert versions.same(opened)
        ingest(versions, article("New words.", "a"))
        assert not versions.same(opened)
        opened.release()
