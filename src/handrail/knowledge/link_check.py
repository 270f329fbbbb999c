"""The pages that a site really has, and articles whose addresses are held to them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

import httpx
from bs4 import BeautifulSoup
from bs4.element import Tag

from handrail.errors import KnowledgeError
from handrail.knowledge import Article, Loader, Rejected, Unpublished
from handrail.knowledge.files import files_in, plain_file
from handrail.knowledge.formats.html import page_of
from handrail.knowledge.formats.html_tree import HEADINGS, attribute
from handrail.knowledge.links import headings_changed, page_path
from handrail.knowledge.sitemap import MOST_BYTES, MOST_MAPS, site_map
from handrail.text.markdown import OWN_ANCHOR, TAB_MARK, plain, slug

TOP = "top"
"""The anchor that every page has, as HTML says."""


@dataclass(frozen=True, slots=True)
class Page:
    url: str
    anchors: frozenset[str] | None = None
    """None where the page itself was not read."""
    headings: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The anchors of its headings in their order, by their words."""


def pages_of(place: str, url_base: str) -> list[Page]:
    """Of a sitemap, a folder of built pages, or a site whose sitemap is asked for. Raises KnowledgeError."""
    if _is_address(place):
        found = _listed(place if place.endswith((".xml", ".xml.gz")) else f"{place.rstrip('/')}/sitemap.xml")
    elif Path(place).is_dir():
        found = list(_built(Path(place), url_base))
    elif Path(place).is_file():
        found = _listed(place)
    else:
        raise KnowledgeError(f"{place}: no such file or folder; name a sitemap, a folder of built pages or an address")
    if not found:
        raise KnowledgeError(f"{place}: names no pages")
    return found


class Checked:
    """The articles of `loader`, each with the address of its page; one that has none loses its address."""

    def __init__(self, loader: Loader, pages: Iterable[Page]) -> None:
        self._loader = loader
        self._pages = {page_path(page.url): page for page in pages}
        self._ends: dict[tuple[str, ...], list[Page]] = defaultdict(list)
        for path, page in self._pages.items():
            parts = tuple(path.strip("/").split("/"))
            for start in range(len(parts)):
                self._ends[parts[start:]].append(page)
        self.found = 0
        self.corrected = 0
        self.missing: list[str] = []
        """Ids of articles without a page."""

    def articles(self) -> Iterator[Article | Rejected | Unpublished]:
        for item in self._loader.articles():
            yield self._checked(item) if isinstance(item, Article) else item

    def _checked(self, article: Article) -> Article:
        page = self._page(article)
        if page is None:
            self.missing.append(article.id)
            return replace(article, url="")
        self.found += 1
        self.corrected += page.url != article.url
        return replace(
            article, url=page.url, body=_anchored(article.body, page) if page.anchors is not None else article.body
        )

    def _page(self, article: Article) -> Page | None:
        """By its address; else the one page whose address ends as the article's or its id does, or with its title."""
        path = page_path(article.url) if article.url else ""
        if path and path in self._pages:
            return self._pages[path]
        for parts in (path.strip("/").split("/") if path else [], article.id.split(":")):
            for start in range(len(parts)):
                ended = self._ends.get(tuple(parts[start:]), [])
                if len(ended) == 1:
                    return ended[0]
        titled = self._ends.get((slug(article.title),), [])
        return titled[0] if len(titled) == 1 else None


def _anchored(body: str, page: Page) -> str:
    """With the anchors that the page has: by the words of a heading, else the one that was worked out, else its top."""
    left = {words: list(anchors) for words, anchors in page.headings.items()}

    def changed(mark: str, said: str) -> str:
        if said.endswith(TAB_MARK):
            return f"{mark}{said}"
        own = OWN_ANCHOR.search(said)
        bare = OWN_ANCHOR.sub("", said).rstrip()
        worked_out = own[1] if own else slug(plain(bare))
        there = left.get(_words(plain(bare)), [])
        anchor = there.pop(0) if there else worked_out if worked_out in (page.anchors or ()) else TOP
        return f"{mark}{bare}" if anchor == slug(plain(bare)) else f"{mark}{bare} {{#{anchor}}}"

    return headings_changed(body, changed)


def _listed(place: str) -> list[Page]:
    """Of a site map and those that it leads to."""
    waiting, found, read = [place], list[Page](), set[str]()
    while waiting:
        one = waiting.pop(0)
        if one in read:
            continue
        if len(read) == MOST_MAPS:
            raise KnowledgeError(f"{place}: more than {MOST_MAPS} site maps")
        read.add(one)
        listed = site_map(_fetched(one))
        found += (Page(url) for url, _ in listed.pages)
        beside = Path(one).parent
        waiting += (
            listed.maps if _is_address(one) else (str(beside / Path(urlsplit(url).path).name) for url in listed.maps)
        )
    return found


def _is_address(place: str) -> bool:
    return place.startswith(("http://", "https://"))


def _fetched(place: str) -> bytes:
    try:
        if not _is_address(place):
            return plain_file(Path(place), MOST_BYTES)
        body = bytearray()
        with httpx.stream("GET", place, follow_redirects=True, timeout=30) as answer:
            answer.raise_for_status()
            for part in answer.iter_bytes():
                body += part
                if len(body) > MOST_BYTES:
                    raise KnowledgeError(f"{place}: more than {MOST_BYTES} bytes")
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        raise KnowledgeError(f"{place}: can't be read: {error}") from None
    return bytes(body)


def _built(folder: Path, url_base: str) -> Iterator[Page]:
    for path in files_in(folder, {".html", ".htm"}):
        if not isinstance(path, Path):
            continue
        html = plain_file(path, MOST_BYTES)
        page = page_of(html)
        if page.redirect:
            continue
        relative = path.relative_to(folder).as_posix()
        relative = relative[: -len(path.name)] if path.stem == "index" else relative
        if not page.canonical and not url_base:
            raise KnowledgeError(f"{path} doesn't say where it stands: set knowledge.url_base to the site's address")
        yield Page(page.canonical or f"{url_base.rstrip('/')}/{relative}", *_anchors(BeautifulSoup(html, "lxml")))


def _anchors(soup: BeautifulSoup) -> tuple[frozenset[str], Mapping[str, Sequence[str]]]:
    """All of a page, and those of its headings."""
    all_ = {TOP, *(_anchor(tag) for tag in soup.find_all(True))} - {""}
    headings: dict[str, list[str]] = defaultdict(list)
    for heading in soup.find_all(HEADINGS):
        own = next(filter(None, map(_anchor, (heading, *heading.find_all(True)))), "")
        if own:
            headings[_words(heading.get_text())].append(own)
    return frozenset(all_), headings


def _anchor(tag: Tag) -> str:
    return attribute(tag, "id") or (attribute(tag, "name") if tag.name == "a" else "")


def _words(heading: str) -> str:
    """Its letters and digits: sites put marks of their own behind headings."""
    return "".join(c for c in heading.casefold() if c.isalnum())
