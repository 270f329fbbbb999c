"""Articles beside an article: one step, in the order of what helps, and never what the visitor may not read."""

from __future__ import annotations

from typing import Any

import pytest

from handrail.stores import snapshot as snapshots
from handrail.stores.relations import MOST, Relations
from handrail.types import Passage
from tests.knowledge.articles import HashedWords

URL = "https://help.example/"


def relations(**articles: dict[str, str]) -> Relations:
    rows = [
        Passage(f"{id_}/0", id_, 0, id_.title(), (), said.pop("text", "Text."), f"{URL}{id_}#top", 9, said)
        for id_, said in articles.items()
    ]
    return Relations(snapshots.build(rows, HashedWords()([row.text for row in rows])))


def beside(held: Relations, *articles: str, **filters: Any) -> list[tuple[str, str]]:
    return [(one.article_id, one.relation) for one in held.beside(articles, filters)]


def test_what_comes_next_comes_before_what_is_related_and_what_is_linked() -> None:
    text = f"See [the plans]({URL}plans/), ![a picture]({URL}pictures) and [elsewhere](https://other.example)."
    held = relations(
        start={"text": text, "related": "roles\nnowhere", "next": "domains"},
        plans={},
        roles={},
        domains={},
        pictures={},
    )

    assert beside(held, "start") == [("domains", "next"), ("roles", "related"), ("plans", "link")]
    (first, *_) = held.beside(["start"], {})
    assert (first.title, first.url) == ("Domains", f"{URL}domains")


def test_links_by_path_and_by_address_are_the_same() -> None:
    held = relations(a={"links": "b\nnowhere", "text": f"[c]({URL}c#part)"}, b={}, c={})

    assert beside(held, "a") == [("b", "link"), ("c", "link")]


def test_it_is_one_step_and_nothing_that_is_shown_already() -> None:
    held = relations(a={"next": "b"}, b={"next": "c"}, c={"related": "a"})

    assert beside(held, "a") == [("b", "next")]
    assert beside(held, "a", "b") == [("c", "next")]


@pytest.mark.parametrize("said", [{"old": {"superseded_by": "new"}}, {"new": {"supersedes": "old"}}])
def test_the_newest_stands_in_the_place_of_what_is_superseded(said: dict[str, dict[str, str]]) -> None:
    held = relations(**{"old": {}, "new": {}, "newest": {"supersedes": "new"}, **said})

    assert beside(held, "old") == [("newest", "superseded_by")]
    assert [held.outdated(name) for name in ("old", "new", "newest")] == [True, True, False]


def test_articles_that_supersede_each_other_come_to_an_end() -> None:
    assert beside(relations(a={"superseded_by": "b"}, b={"superseded_by": "a"}), "a") == []


def test_what_is_outdated_is_not_recommended() -> None:
    assert beside(relations(a={"related": "b"}, b={"deprecated": "true"}), "a") == []


def test_filters_hold_for_what_stands_beside_too() -> None:
    held = relations(a={"related": "b\nc"}, b={"project_key": "shop"}, c={"project_key": "desk"})

    assert beside(held, "a", project_key="desk", lang="en") == [("c", "related")]


def test_there_are_never_many() -> None:
    others = {f"x{n}": dict[str, str]() for n in range(20)}

    assert len(beside(relations(a={"related": "\n".join(others)}, **others), "a")) == MOST
