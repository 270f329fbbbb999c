"""Whom a page is for: read from its front matter, listed by the ingest, and never public by mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from handrail.knowledge import Article, Rejected, Unpublished
from handrail.knowledge.folder import Folder
from handrail.knowledge.ingest import Report
from handrail.stores.audience import Audience
from tests.knowledge.articles import Index


def pages(folder: Path, **texts: str) -> Folder:
    """One page a name, with what stands in front of its text."""
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(f"{text}\nOpen the order and choose **Refund**.", encoding="utf-8")
    return Folder(folder, "https://help.example", 100_000)


def read(folder: Path, front: str) -> Article | Rejected | Unpublished:
    first, *_ = pages(folder, page=front).articles()
    return first


def yaml(*lines: str) -> str:
    return "\n".join(("---", *lines, "---"))


def toml(*lines: str) -> str:
    return "\n".join(("+++", *lines, "+++"))


@pytest.mark.parametrize(
    ("front", "why"),
    [
        (yaml("draft: true"), "draft: true"),
        (yaml("Draft: yes"), "draft: true"),
        (yaml('draft: "true"'), "draft: true"),
        (yaml("draft: 'Yes'"), "draft: true"),
        (yaml("draft: 1"), "draft: true"),
        (yaml("published: false"), "published: false"),
        (yaml("published: 'no'"), "published: false"),
        (yaml("published: off"), "published: false"),
        (yaml("hidden: true"), "hidden: true"),
        (yaml("unlisted: on"), "unlisted: true"),
        (yaml("visibility: internal"), "visibility: internal"),
        (yaml("visibility: Private"), "visibility: private"),
        (yaml("visibility: hidden"), "visibility: hidden"),
        (yaml("visibility: hidden", "audience: public"), "visibility: hidden"),
        (toml("draft = true"), "draft: true"),
        (toml("published = false"), "published: false"),
        (toml('hidden = "true"'), "hidden: true"),
        (toml("unlisted = true").replace("\n", "\r\n"), "unlisted: true"),
        (toml('visibility = "internal"'), "visibility: internal"),
        ('{\n "draft": true\n}', "draft: true"),
    ],
)
def test_a_page_that_is_not_public_is_no_article(tmp_path: Path, front: str, why: str) -> None:
    assert read(tmp_path, front) == Unpublished("page", str(tmp_path / "page.md"), why)


@pytest.mark.parametrize(
    ("front", "audience"),
    [
        ("", Audience.PUBLIC),
        (yaml("title: Refunds"), Audience.PUBLIC),
        (yaml("draft: false", "published: true", "hidden: no", "unlisted: '0'", "audience:"), Audience.PUBLIC),
        (yaml("published: 2026-05-01"), Audience.PUBLIC),
        (yaml("published: '2026-05-01T08:00:00Z'"), Audience.PUBLIC),
        (toml("published = 2026-05-01", 'audience = "public"'), Audience.PUBLIC),
        (yaml("audience: public", "visibility: public"), Audience.PUBLIC),
        (yaml("audience: agents"), Audience.AGENTS),
        (yaml("AUDIENCE: ' Agents '"), Audience.AGENTS),
        (yaml("visibility: agents"), Audience.AGENTS),
        (yaml("visibility: agents", "audience: public"), Audience.AGENTS),
        (yaml("visibility: public", "audience: agents"), Audience.AGENTS),
        (toml('audience = "agents"'), Audience.AGENTS),
        (toml('visibility = "agents"'), Audience.AGENTS),
    ],
)
def test_an_article_is_for_whom_its_page_says(tmp_path: Path, front: str, audience: Audience) -> None:
    found = read(tmp_path, front)

    assert isinstance(found, Article)
    assert found.body == "Open the order and choose **Refund**."
    assert next(one for one in Audience if one.may_read(found.facets)) is audience


@pytest.mark.parametrize(
    ("front", "names"),
    [
        (yaml("audience: staff"), ["audience", "'staff'", "public, agents"]),
        (yaml("audience: [agents]"), ["audience", "public, agents"]),
        (yaml("audience: true"), ["audience", "public, agents"]),
        (toml('audience = "internal"'), ["audience", "'internal'", "public, agents"]),
        (yaml("visibility: team"), ["visibility", "'team'", "public, agents, internal, private, hidden"]),
        (yaml("draft: maybe"), ["draft", "'maybe'", "true or false"]),
        (yaml("published: soon"), ["published", "'soon'", "a date"]),
        (toml("draft = "), ["not valid TOML"]),
    ],
)
def test_what_is_not_understood_is_an_error_that_says_what_is(tmp_path: Path, front: str, names: list[str]) -> None:
    found = read(tmp_path, front)

    assert isinstance(found, Rejected)
    assert found.where.endswith("page.md")
    assert all(name in found.why for name in names)


def test_toml_gives_title_address_and_facets(tmp_path: Path) -> None:
    found = read(tmp_path, toml('title = "Refunds"', 'url = "https://acme.example/r"', 'section = "Store"'))

    facets = {"source_type": "markdown", "section": "Store"}
    assert found == Article(
        "page", "Refunds", "Open the order and choose **Refund**.", "https://acme.example/r", facets
    )


@pytest.mark.parametrize("front", [yaml("1: one"), yaml("content: x", "handler: y")])
def test_fields_of_any_name_are_read_over(tmp_path: Path, front: str) -> None:
    assert isinstance(read(tmp_path, front), Article)


def test_the_ingest_lists_what_it_left_out_by_reason(tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    loader = pages(
        folder, a=yaml("draft: true"), b=yaml("hidden: true"), c=toml("draft = true"), d="", e=yaml("audience: agents")
    )

    report = Index(tmp_path).run(loader)

    assert {why: [Path(name).name for name in names] for why, names in report.unpublished.items()} == {
        "draft: true": ["a.md", "c.md"],
        "hidden: true": ["b.md"],
    }
    assert (report.articles, report.for_agents, report.passages) == (2, 1, 2)


@pytest.mark.parametrize("front", [yaml("draft: true"), yaml("audience: staff"), yaml("visibility: internal")])
@pytest.mark.parametrize("others", ["present", "none", "unreadable"])
@pytest.mark.parametrize("keep_others", [False, True])
def test_a_page_that_is_public_no_more_leaves_the_index(
    tmp_path: Path, front: str, others: str, keep_others: bool
) -> None:
    """Also where it is the only one, where another file cannot be read, and where articles that vanished are kept."""
    folder, index = tmp_path / "pages", Index(tmp_path)
    folder.mkdir()
    index.run(pages(folder, page="", other=""))
    (folder / "other.md").unlink()
    if others == "present":
        pages(folder, other="")
    elif others == "unreadable":
        (folder / "other.md").write_bytes(b"\xff\xfe\x00")

    report: Report = index.run(pages(folder, page=front), keep_others=keep_others)

    assert "page/0" not in index.ids()
    assert ("other/0" in index.ids()) is (others != "none" or keep_others or bool(report.rejected))


@pytest.mark.parametrize(("before", "after"), [("public", "agents"), ("agents", "public")])
def test_an_article_that_is_for_others_now_is_read_by_them(tmp_path: Path, before: str, after: str) -> None:
    """The line may be gone, not only changed: the index forgets what it said."""
    fronts = {"public": yaml("title: Refunds"), "agents": yaml("title: Refunds", "audience: agents")}
    folder, index = tmp_path / "pages", Index(tmp_path)
    folder.mkdir()
    index.run(pages(folder, page=fronts[before]))

    index.run(pages(folder, page=fronts[after]))

    assert index.ids() == (["page/0"] if after == "public" else [])
    assert [passage.id for passage in index.store.dump(Audience.AGENTS)[0]] == ["page/0"]
