"""What `handrail kb lint` finds."""

from __future__ import annotations

from pathlib import Path

import pytest

from handrail.knowledge.lint import lint
from handrail.knowledge.lint_links import lint_links
from handrail.types import Passage

WORDS = " ".join(f"word{n}" for n in range(30))


def passage(text: str, article: str = "a", title: str = "Send a parcel", url: str = "") -> Passage:
    return Passage(f"{article}/0", article, 0, title, (), text, url, 10)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("{% include nav.html %} Text.", "template tag"),
        ("Press <Key name='z' /> now.", "component"),
        (":::tip\nSave often.", "directive"),
        ("See :ref:`refunds`.", "directive"),
    ],
)
def test_marks_of_a_generator_are_found_outside_of_code(text: str, kind: str) -> None:
    assert [one.kind for one in lint([passage(text)])] == [kind]
    assert lint([passage(f"```\n{text}\n```")]) == []


@pytest.mark.parametrize(
    "text", ["Write {{first_name}} for the name.", "Is a < b? A <sketchbook> folder.", "At 10:30::"]
)
def test_what_only_looks_like_a_mark_is_no_finding(text: str) -> None:
    assert lint([passage(text)]) == []


def test_duplicates_titles_and_addresses_are_found() -> None:
    found = lint(
        [passage(WORDS, "a", url="https://x.example/a"), passage(WORDS, "b"), passage("Text.", "c", "read_me.md")]
    )

    assert [(one.kind, one.article) for one in found] == [
        ("duplicate text", "b"),
        ("duplicate title", "a"),
        ("duplicate title", "b"),
        ("placeholder address", "a"),
        ("title nobody would type", "c"),
    ]


def test_an_anchor_that_another_article_does_not_have_is_found() -> None:
    pages = [passage("Text.", "a", "One page", "https://h.acme.io/a#costs")]
    links = "See https://h.acme.io/a#costs and https://h.acme.io/a#prices and https://other.io/#x."

    found = lint([*pages, passage(links, "b", "Other page")])

    assert [(one.kind, one.article, one.words) for one in found] == [
        ("broken anchor", "b", "https://h.acme.io/a#prices")
    ]


def test_links_between_files_are_followed(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(
        "# A\n\n[b](b.md), [b](b.md#costs), [b](b#none), [gone](gone.md), [site](/x), [own](#none), `[c](d.md)`\n"
    )
    (tmp_path / "b.md").write_text("# B\n\n## Costs\n\nFree.\n")

    found = lint_links(tmp_path, 10_000).findings

    assert [(one.kind, one.words) for one in found] == [
        ("broken anchor", "b#none"),
        ("broken link", "gone.md"),
        ("broken anchor", "#none"),
    ]


def test_a_heading_below_a_named_element_has_both_anchors(tmp_path: Path) -> None:
    links = "[a](#costs) [b](#how-much-is-it) [c](#set) [d](#set-apart)"
    headings = '<a id="costs"></a>\n\n## How much is it\n\nFree.\n\n## Set apart {#set}\n\nYes.\n'
    (tmp_path / "a.md").write_text(f"# A\n\n{links}\n\n{headings}")

    assert [one.words for one in lint_links(tmp_path, 10_000).findings] == ["#set-apart"]


def test_docusaurus_looks_for_a_linked_page_in_the_folders_above(tmp_path: Path) -> None:
    inner = tmp_path / "docs" / "guides" / "servers"
    inner.mkdir(parents=True)
    (tmp_path / "docusaurus.config.js").write_text("")
    (tmp_path / "docs" / "prices.md").write_text('# Prices\n\n## Costs\n\n- <a id="nine"></a> Nine.\n')
    links = "[a](prices.md#costs) [b](docs/prices.md) [c](prices.md#nine) [d](prices.md#ten) [e](rooms.md)"
    (inner / "caddy.md").write_text(f"# Caddy\n\nSee {links}.\n")

    found = lint_links(tmp_path, 100_000).findings

    assert [(one.kind, one.words) for one in found] == [
        ("broken anchor", "prices.md#ten"),
        ("broken link", "rooms.md"),
    ]


def test_links_are_looked_for_in_the_files_that_are_read_and_in_no_others(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    (docs / ".shared").mkdir(parents=True)
    (docs / ".shared" / "a.md").write_text("# A\n\n[gone](gone.md)\n")
    (docs / "guide").symlink_to(".shared")
    (tmp_path / "b.md").write_text("# B\n\n[lost](lost.md)\n")
    (docs / "b.md").symlink_to(tmp_path / "b.md")

    found = lint_links(docs, 10_000).findings

    assert [(one.article, one.words) for one in found] == [("guide:a", "gone.md")]


def written(folder: Path, pages: dict[str, str]) -> Path:
    for name, text in pages.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def test_links_that_begin_with_a_slash_are_followed_below_the_base_of_the_help_centre(tmp_path: Path) -> None:
    links = (
        "[a](/help/orders/refunds/#costs) [b](/help/orders/refunds.html) [c](/help/orders) "
        "[d](/help/orders/refunds#no) [e](/help/orders/gone) [f](/help/lost) [g](/pricing) [h](//cdn.example.net/x) "
        "[i](/help/price-list.pdf) [j][1] <a href='/help/away'>away</a> `[k](/help/code)` [l](/img/plan.png)"
        "\n\n[1]: /help/none\n"
    )
    refunds = "# Refunds\n\n## Costs\n\nNone.\n"
    written(tmp_path, {"orders/refunds.md": refunds, "start.md": f"# Start\n\n{links}", "public/img/plan.png": ""})

    found = lint_links(tmp_path, 10_000, "https://acme.io/help")

    assert [(one.kind, one.words) for one in found.findings] == [
        ("broken anchor", "/help/orders/refunds#no"),
        ("broken link", "/help/orders/gone"),
        ("broken link", "/help/lost"),
        ("broken link", "/help/none"),
        ("broken link", "/help/away"),
    ]
    assert found.unchecked == 2  # the prices, and the file that may lie anywhere


def test_at_the_root_of_a_host_only_folders_that_hold_articles_are_the_help_centres(tmp_path: Path) -> None:
    links = "[a](/guides/pay) [b](/guides/gone) [c](/login) [d](/blog/news)"
    written(tmp_path, {"guides/pay.md": "# Pay\n\nBy card.\n", "guides/start.md": f"# Start\n\n{links}\n"})

    found = lint_links(tmp_path, 10_000, "https://help.acme.io")

    assert [one.words for one in found.findings] == ["/guides/gone"]
    assert found.unchecked == 2


@pytest.mark.parametrize(("base", "broken", "unchecked"), [("/guides", ["/guides/gone"], 1), ("/docs", [], 3)])
def test_without_an_address_links_that_lead_to_articles_tell_where_they_stand(
    tmp_path: Path, base: str, broken: list[str], unchecked: int
) -> None:
    links = f"[a]({base}/pay) [b]({base}/gone) [c](/login)"
    written(tmp_path, {"guides/pay.md": "# Pay\n\nBy card.\n", "guides/start.md": f"# Start\n\n{links}\n"})

    found = lint_links(tmp_path, 10_000)

    assert [one.words for one in found.findings] == broken
    assert found.unchecked == unchecked


def test_addresses_of_the_sites_generator_and_earlier_ones_of_a_page_are_known(tmp_path: Path) -> None:
    links = "[a](/docs/set-up/install) [b](/docs/set-up/) [c](/docs/old) [d](/docs/new) [e](/set-up/install.md)"
    pages = {
        "docusaurus.config.js": "module.exports = {url: 'https://acme.io', baseUrl: '/'}",
        "docs/01-set-up/02-install.md": "---\naliases: [/docs/old]\n---\n# Install\n\nRun it.\n",
        "docs/start.md": f"# Start\n\n{links}\n",
        "docs/set-up/install.md": "# More\n\nText.\n",
    }

    found = lint_links(written(tmp_path, pages), 10_000)

    assert [one.words for one in found.findings] == ["/docs/new"]
    assert found.unchecked == 0
