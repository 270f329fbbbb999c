"""A sync removes only what its own sources brought."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from handrail.answer.planted import planted
from handrail.errors import KnowledgeError
from handrail.knowledge import Loader, Rejected, Unpublished
from handrail.knowledge.origins import AT_DESK, BY_HAND, UNKNOWN, From, Origins
from handrail.knowledge.sources.at_desk import DeskSources, SourceError
from handrail.knowledge.sources.kept import Kept
from handrail.knowledge.sync import Declared, Diff, Owners, collect, difference
from handrail.settings.sources import Source
from handrail.stores.store import Stamp
from tests.knowledge.articles import Given, article

MAIL, PLANS = article("Open **Mail**.", "mail"), article("Ten euros a month.", "plans")
HELD = {id_: Stamp({f"{id_}/0": "digest"}, 1) for id_ in ("mail", "plans", "teams", "own")}


def owners(**of: str) -> Owners:
    return Owners({"own": BY_HAND, **of}, ("site", "wiki"))


def synced(owned: Owners, **sources: Loader | Exception) -> Diff:
    """What a run over these sources, by id, would change in an index of four articles."""

    def opened(loader: Loader | Exception) -> Callable[[], Loader]:
        def open_() -> Loader:
            if isinstance(loader, Exception):
                raise loader
            return loader

        return open_

    declared = [Declared(id_, opened(loader), id=id_) for id_, loader in sources.items()]
    return difference(collect(declared, planted, lambda name, n: None, owned), HELD, {}, owned)


def test_only_what_the_source_itself_brought_goes() -> None:
    diff = synced(owners(mail="site", plans="site", teams="wiki"), site=Given(MAIL))

    assert diff.removed == ["plans"], "neither what is of another source nor what was added by hand"


def test_a_source_that_could_not_be_read_whole_loses_nothing_and_the_others_go_on() -> None:
    owned = owners(mail="site", plans="site", teams="wiki")

    assert synced(owned, site=KnowledgeError("answered 503"), wiki=Given(PLANS)).removed == ["teams"]
    assert synced(owned, site=Given(MAIL, Rejected("x", "not UTF-8")), wiki=Given(article("T", "teams"))).removed == []


def test_what_belongs_to_a_source_that_is_not_read_is_not_changed_by_another() -> None:
    owned = owners(mail="site", plans="site", teams="wiki")

    diff = synced(owned, wiki=Given(article("Elsewhere.", "mail"), Unpublished("plans", "plans", "draft: true")))

    assert (diff.added, diff.changed, diff.removed) == ([], [], ["teams"])
    assert diff.skipped == {"another article has this id": ["mail", "plans"]}


def test_what_a_source_holds_back_goes_unless_it_was_added_by_hand() -> None:
    site = Given(MAIL, Unpublished("plans", "/plans", "noindex"), Unpublished("own", "/own", "noindex"))

    diff = synced(owners(mail="site", plans="site", teams="wiki"), site=site)

    assert diff.removed == ["plans"]
    assert diff.skipped["noindex; an article with its id was added by hand and stays"] == ["/own"]


def test_the_articles_of_a_source_that_is_declared_no_more_go() -> None:
    assert synced(owners(mail="site", plans="gone", teams="wiki"), site=Given(MAIL)).removed == ["plans"]


@pytest.mark.parametrize(("read", "removed"), [(("site",), []), (("site", "wiki"), ["teams"])])
def test_what_some_source_brought_goes_once_all_were_read(read: tuple[str, ...], removed: list[str]) -> None:
    """In an index that is older than the notes of where articles came from."""
    owned = Owners(dict.fromkeys(("mail", "plans", "teams"), UNKNOWN), ("site", "wiki"))
    sources = {"site": Given(MAIL), "wiki": Given(PLANS)}

    assert synced(owned, **{name: sources[name] for name in read}).removed == removed


def test_an_older_index_tells_what_its_last_sync_brought_from_what_was_added_by_hand(tmp_path: Path) -> None:
    with Kept(tmp_path / "sources" / "pages.sqlite") as kept:
        kept.keep_sizes({"mail": 100})

    assert Origins(tmp_path).all() == {"mail": UNKNOWN}


def test_the_origin_of_each_article_is_noted_and_can_be_given_up(tmp_path: Path) -> None:
    origins = Origins(tmp_path)
    loaders = [From(Given(MAIL), "site"), From(Given(MAIL, PLANS), AT_DESK), From(Given(article("x", "own")), BY_HAND)]
    for loader in loaders:
        list(loader.articles())

    origins.claim(loaders)
    assert Origins(tmp_path).all() == {"mail": "site", "plans": AT_DESK, "own": BY_HAND}

    origins.give_up("site")
    assert origins.all()["mail"] == BY_HAND


@pytest.mark.parametrize("damage", ["{", "[]", '{"kind": "folder"}'])
def test_a_source_that_is_damaged_is_named_and_not_taken_for_removed(tmp_path: Path, damage: str) -> None:
    """Taken for removed, its articles would leave the index with the next sync."""
    held = DeskSources(tmp_path)
    one = held.add(Source(kind="git", where="https://git.example/help.git"), "", "lead", 1.0)
    (file,) = (tmp_path / "desk").glob("*.json")
    file.write_text(damage)

    for look in (held.all, lambda: held.get(one.id)):
        with pytest.raises(SourceError, match=file.name):
            look()


def test_origins_that_are_damaged_are_named_and_not_written_over(tmp_path: Path) -> None:
    origins = Origins(tmp_path)
    origins.claim([])
    (tmp_path / "sources" / "origins.json").write_text("{")

    with pytest.raises(KnowledgeError, match=r"origins\.json"):
        origins.claim([])
    assert (tmp_path / "sources" / "origins.json").read_text() == "{"
