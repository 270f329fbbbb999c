"""A website by its site map: what may be read is read, once, and only what has changed is fetched again."""

from __future__ import annotations

import gzip

import pytest

from handrail.errors import KnowledgeError
from handrail.knowledge import Article, Rejected, Skipped, Unpublished
from tests.knowledge.help_server import Desk, HelpServer, Reply, ids


def page(title: str, text: str, head: str = "") -> str:
    return f"<html><head>{head}</head><body><main><h1>{title}</h1><p>{text}</p></main></body></html>"


@pytest.fixture
def site(server: HelpServer) -> HelpServer:
    server.sitemap("/help/mail", "/help/plans", "/blog/news")
    server.html("/help/mail", page("Mail", "Open Mail."))
    server.html("/help/plans", page("Plans", "Ten euros."))
    server.html("/blog/news", page("News", "We moved."))
    return server


def test_pages_of_the_site_map_become_articles(site: HelpServer, desk: Desk) -> None:
    found = desk.read("site", site.url)

    assert found[0] == Article("help:mail", "Mail", "Open Mail.", f"{site.url}/help/mail")
    assert ids(found) == ["help:mail", "help:plans", "blog:news"]


def test_a_page_in_where_stands_for_the_pages_below_it(site: HelpServer, desk: Desk) -> None:
    assert ids(desk.read("site", f"{site.url}/help")) == ["help:mail", "help:plans"]
    assert "/blog/news" not in site.asked


def test_an_index_of_site_maps_is_followed(site: HelpServer, desk: Desk) -> None:
    inner = site.routes.pop("/sitemap.xml")
    assert isinstance(inner, Reply)
    site.routes["/maps/all.xml"] = Reply(
        f"<sitemapindex><sitemap><loc>{site.url}/a.xml.gz</loc></sitemap></sitemapindex>".encode()
    )
    site.routes["/a.xml.gz"] = Reply(gzip.compress(inner.body))
    site.routes["/robots.txt"] = Reply(f"Sitemap: {site.url}/maps/all.xml".encode())

    assert len(ids(desk.read("site", site.url))) == 3


def test_only_what_has_changed_is_sent_again(site: HelpServer, desk: Desk) -> None:
    first = desk.read("site", site.url)
    site.html("/help/plans", page("Plans", "Twelve euros."))

    second = desk.read("site", site.url)

    assert [item.body for item in second] == ["Open Mail.", "Twelve euros.", "We moved."]
    assert second[0] == first[0]


def test_where_the_server_says_nothing_the_site_map_is_believed(server: HelpServer, desk: Desk) -> None:
    def listed(day: str) -> None:
        entry = f"<url><loc>{server.url}/a</loc><lastmod>{day}</lastmod></url>"
        server.routes["/sitemap.xml"] = Reply(f"<urlset>{entry}</urlset>".encode())

    server.routes["/a"] = Reply(page("A", "One.").encode(), headers={"Content-Type": "text/html"})
    for day in ("2026-01-01", "2026-01-01", "2026-01-02"):
        listed(day)
        desk.read("site", server.url)

    assert server.asked.count("/a") == 2


def test_robots_txt_is_obeyed_and_what_it_keeps_back_is_named(site: HelpServer, desk: Desk) -> None:
    site.routes["/robots.txt"] = Reply(b"User-agent: *\nDisallow: /blog\nCrawl-delay: 7")

    found = desk.read("site", site.url)

    assert ids(found) == ["help:mail", "help:plans"]
    assert Unpublished("blog:news", f"{site.url}/blog/news", "robots.txt") in found
    assert "/blog/news" not in site.asked
    assert max(desk.waits) > 5


def test_pages_that_are_not_to_be_indexed_are_held_back(site: HelpServer, desk: Desk) -> None:
    site.html("/help/mail", page("Mail", "Open Mail.", '<meta name="robots" content="noindex">'))
    site.html("/blog/news", page("News", "We moved."), **{"X-Robots-Tag": "noindex"})

    found = desk.read("site", site.url)

    assert ids(found) == ["help:plans"]
    assert [item.why for item in found if isinstance(item, Unpublished)] == ["robots: noindex", "X-Robots-Tag: noindex"]


def test_one_page_under_two_addresses_is_one_article(site: HelpServer, desk: Desk) -> None:
    site.sitemap("/help/mail", "/help/mail?print=1", "/old")
    site.html("/help/mail?print=1", page("Mail", "Open Mail.", f'<link rel="canonical" href="{site.url}/help/mail">'))
    site.routes["/old"] = Reply(status=301, headers={"Location": "/help/mail"})

    found = desk.read("site", site.url)

    assert ids(found) == ["help:mail"]
    assert [item.where for item in found if isinstance(item, Skipped)] == [
        f"{site.url}/help/mail?print=1",
        f"{site.url}/old",
    ]


def test_no_other_host_is_asked(site: HelpServer, desk: Desk) -> None:
    site.sitemap("/help/mail", "/away", "https://elsewhere.invalid/page")
    site.routes["/away"] = Reply(status=302, headers={"Location": "http://elsewhere.invalid/"})

    found = desk.read("site", site.url)

    assert ids(found) == ["help:mail"]
    assert [(item.where, item.why) for item in found if isinstance(item, Skipped)] == [
        (f"{site.url}/away", "redirects to another host, elsewhere.invalid")
    ]


def test_a_busy_server_is_waited_for_as_it_asks(site: HelpServer, desk: Desk) -> None:
    replies = iter([Reply(status=429, headers={"Retry-After": "3"}), Reply(status=503)])
    calm = site.routes["/help/mail"]
    assert not isinstance(calm, Reply)
    site.routes["/help/mail"] = lambda given: next(replies, None) or calm(given)

    assert "help:mail" in ids(desk.read("site", site.url))
    assert 3.0 in desk.waits


def test_a_page_that_fails_stays_as_it_was_and_one_that_is_gone_goes(site: HelpServer, desk: Desk) -> None:
    before = desk.read("site", site.url)
    site.routes["/help/mail"] = Reply(status=500)
    del site.routes["/blog/news"]

    after = desk.read("site", site.url)

    assert ids(after) == ["help:mail", "help:plans"]
    assert before[0] in after
    assert [item.where for item in after if type(item) is Rejected] == [f"{site.url}/help/mail"]


def test_a_page_that_asks_for_a_sign_in_is_withdrawn(site: HelpServer, desk: Desk) -> None:
    desk.read("site", site.url)
    site.routes["/help/mail"] = Reply(status=403)
    del site.routes["/blog/news"]

    after = desk.read("site", site.url)

    assert ids(after) == ["help:plans"]
    assert {item.id for item in after if isinstance(item, Unpublished)} == {"help:mail", "blog:news"}


def test_a_site_that_is_down_is_left_alone(site: HelpServer, desk: Desk) -> None:
    paths = [f"/p{n}" for n in range(20)]
    site.sitemap(*paths)
    site.routes |= dict.fromkeys(paths, Reply(status=400))

    with pytest.raises(KnowledgeError, match="400"):
        desk.read("site", site.url)
    assert len([path for path in site.asked if path in paths]) == 5


def test_pages_and_bytes_are_bounded_and_what_is_left_out_is_named(site: HelpServer, desk: Desk) -> None:
    site.html("/help/mail", page("Mail", "x" * 200_000))

    found = desk.read("site", site.url, max_pages=2)

    assert ids(found) == ["help:plans"]
    assert [item.why for item in found if isinstance(item, Rejected)] == [
        f"{site.url}/help/mail: more than 100000 bytes",
        "lists more than max_pages = 2 pages; the others were not read",
    ]


def test_private_addresses_are_refused_unless_they_are_meant(site: HelpServer, desk: Desk) -> None:
    with pytest.raises(KnowledgeError, match="private_network = true"):
        desk.read("site", site.url, private_network=False)
    assert site.asked == []


def test_a_site_without_a_site_map_says_what_to_name(server: HelpServer, desk: Desk) -> None:
    with pytest.raises(KnowledgeError, match=r"name the site map in `where`"):
        desk.read("site", server.url)
