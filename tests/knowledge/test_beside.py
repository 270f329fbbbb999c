"""What a file beside an article says of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from handrail.knowledge import Article, Rejected, Skipped, Unpublished
from handrail.knowledge.folder import Folder

HTML = "<html><body><main><h1>Parcels</h1><p>Send them by noon.</p></main></body></html>"


def read(
    root: Path, fields: str, name: str = "parcels.html", text: str = HTML
) -> list[Article | Rejected | Unpublished]:
    (root / name).write_text(text)
    (root / f"{name}.yaml").write_text(fields)
    return list(Folder(root, "", 100_000).articles())


def test_fields_beside_a_file_are_those_of_its_article(tmp_path: Path) -> None:
    (article,) = read(tmp_path, "title: Send a parcel\nurl: https://h.acme.io/send\ntags: [post, Noon]\n")

    assert isinstance(article, Article)
    assert (article.title, article.url) == ("Send a parcel", "https://h.acme.io/send")
    assert article.facets["tags"] == "post\nnoon"
    assert article.facets["source_type"] == "html"


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ("audience: agents", HTML),
        ("audience: agents", HTML.replace("<html>", "---\naudience: public\n---\n<html>")),
        ("audience: public", HTML.replace("<html>", "---\naudience: agents\n---\n<html>")),
    ],
)
def test_neither_makes_public_what_the_other_keeps_for_agents(tmp_path: Path, fields: str, text: str) -> None:
    (article,) = read(tmp_path, fields, text=text)

    assert isinstance(article, Article)
    assert article.facets["audience"] == "agents"


def test_a_file_that_is_not_public_by_what_is_said_beside_it_is_held_back(tmp_path: Path) -> None:
    (held,) = read(tmp_path, "draft: true")

    assert isinstance(held, Unpublished) and held.why == "draft: true"


@pytest.mark.parametrize("fields", ["a: [", "just words", "audience: everybody", "\x00"])
def test_what_cannot_be_read_keeps_the_article_out(tmp_path: Path, fields: str) -> None:
    found = read(tmp_path, fields)

    assert [one for one in found if isinstance(one, Rejected)]
    assert not [one for one in found if isinstance(one, Article)]


def test_rows_of_a_file_keep_their_titles(tmp_path: Path) -> None:
    rows = "question,answer\nWhen?,At noon.\nWhere?,In Graz.\n"

    found = read(tmp_path, "title: All\ntags: post\n", "rows.csv", rows)

    assert [(one.title, one.facets["tags"]) for one in found if isinstance(one, Article)] == [
        ("When?", "post"),
        ("Where?", "post"),
    ]


def test_a_file_beside_none_is_named_as_skipped(tmp_path: Path) -> None:
    (tmp_path / "other.yaml").write_text("a: 1")

    found = read(tmp_path, "tags: post")

    assert ["other.yaml" in one.why for one in found if isinstance(one, Skipped)] == [True]
