"""Addresses that are held to the pages of a site."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from handrail.errors import KnowledgeError
from handrail.knowledge import Article
from handrail.knowledge.folder import Folder
from handrail.knowledge.link_check import Checked, pages_of
from handrail.text.markdown import parse

SITEMAP = """<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>https://h.example/en/guides/send-a-parcel/</loc></url><url><loc>https://h.example/en/roles</loc></url></urlset>"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "articles"
    (folder / "guides").mkdir(parents=True)
    (folder / "guides" / "send-a-parcel.md").write_text(
        "# Send\n\n## Costs & limits\n\nFree.\n\n## Costs & limits\n\nTwo.\n"
    )
    (folder / "away.md").write_text("# Away\n\nText.\n")
    return folder


@pytest.fixture
def built(tmp_path: Path) -> Path:
    page = tmp_path / "built" / "help" / "guides" / "send-a-parcel"
    page.mkdir(parents=True)
    heading = '<h2 id="{}">Costs &amp; limits<a href="#{}">¶</a></h2>'
    (page / "index.html").write_text(heading.format("costs", "costs") + heading.format("costs_1", "costs_1"))
    return tmp_path / "built"


def addresses(checked: Checked) -> dict[str, str]:
    return {item.id: item.url for item in checked.articles() if isinstance(item, Article)}


def test_an_address_is_the_page_that_ends_as_the_path_does_and_none_where_there_is_no_page(
    source: Path, tmp_path: Path
) -> None:
    (tmp_path / "sitemap.xml").write_text(SITEMAP)
    checked = Checked(Folder(source, "https://h.example", 10_000), pages_of(str(tmp_path / "sitemap.xml"), ""))

    assert addresses(checked) == {"guides:send-a-parcel": "https://h.example/en/guides/send-a-parcel/", "away": ""}
    assert (checked.found, checked.missing) == (1, ["away"])


def test_anchors_are_those_of_the_built_page(source: Path, built: Path) -> None:
    checked = Checked(Folder(source, "", 10_000), pages_of(str(built), "https://h.example"))

    [article] = [item for item in checked.articles() if isinstance(item, Article) and item.url]

    assert article.url == "https://h.example/help/guides/send-a-parcel/"
    assert [block.anchor for block in parse(article.body)] == ["costs", "costs_1"]


def test_built_pages_that_do_not_say_where_they_stand_need_an_address(built: Path) -> None:
    with pytest.raises(KnowledgeError, match=r"knowledge\.url_base"):
        pages_of(str(built), "")


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    root = tmp_path / "served"
    root.mkdir()
    (root / "sitemap.xml").write_text(SITEMAP)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=str(root))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def test_a_site_is_asked_for_its_sitemap(site: str) -> None:
    assert [page.url for page in pages_of(site, "")][1] == "https://h.example/en/roles"


def test_a_site_without_a_sitemap_says_so(site: str) -> None:
    with pytest.raises(KnowledgeError, match="can't be read"):
        pages_of(f"{site}/absent.xml", "")
