"""The pages that a site really has, and articles whose addresses are held to them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

import httpx

from handrail.errors import KnowledgeError
from handrail.knowledge import Article, Loader, Rejected, Unpublished
from handrail.knowledge.files import files_in, plain_file
from handrail.knowledge.links import headings_changed
from handrail.text.markdown import OWN_ANCHOR, TAB_MARK, plain, slug

MOST_BYTES = 50_000_000
MOST_SITEMAPS = 100
TOP = "top"
"""The anchor that every page has, as HTML says."""
HEADING = re.compile(r"h[1-6]")


@dataclass(frozen=True, slots=True)
class Page:
    url: str
    anchors: frozenset[str] | None = None
    """None where the page itself was not read."""
    headings: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The anchors of its headings in their order, by their words."""


def pages_of(place: str, url_base: str) -> list[Page]:
    """Of a sitemap, a folder of built pages, or a site whose sitemap is asked for. Raises KnowledgeError."""
    if place.startswith(("http://", "https://")):
        found = _sitemap(place if place.endswith(".xml") else f"{place.rstrip('/')}/sitemap.xml")
    elif Path(place).is_dir():
        found = list(_built(Path(place), url_base))
    elif Path(place).is_file():
        found = _sitemap(place)
    else:
        raise KnowledgeError(f"{place}: no such file or folder; name a sitemap, a folder of built pages or an address")
    if not found:
        raise KnowledgeError(f"{place}: names no pages")
    return found


class Checked:
    """The articles of `loader`, each with the address of its page; one that has none loses its address."""

    def __init__(self, loader: Loader, pages: Iterable[Page]) -> None:
        self._loader = loader
        self._pages = {_path(page.url): page for page in pages}
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
        path = _path(article.url) if article.url else ""
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


def _path(url: str) -> str:
    """The same for `/a`, `/a/`, `/a.html` and `/a/index.html`."""
    path = unquote(urlsplit(url).path)
    for end in ("/index.html", "/index.htm", ".html", ".htm"):
        path = path.removesuffix(end)
    return path.rstrip("/").lower() or "/"


def _sitemap(place: str, left: list[int] | None = None) -> list[Page]:
    left = left or [MOST_SITEMAPS]
    left[0] -= 1
    if left[0] < 0:
        raise KnowledgeError(f"{place}: more than {MOST_SITEMAPS} sitemaps")
    try:
        top = ElementTree.fromstring(_fetched(place))  # noqa: S314 (expat stops entities that multiply)
    except (ElementTree.ParseError, ValueError) as error:
        raise KnowledgeError(f"{place}: not a sitemap: {error}") from None
    named = [one.text.strip() for one in top.iter() if one.tag.rpartition("}")[2] == "loc" and one.text]
    if top.tag.rpartition("}")[2] != "sitemapindex":
        return [Page(url) for url in named]
    inner = (
        named
        if place.startswith("http")
        else [str(Path(place).parent / urlsplit(url).path.rpartition("/")[2]) for url in named]
    )
    return [page for one in inner for page in _sitemap(one, left)]


def _fetched(place: str) -> bytes:
    try:
        if not place.startswith("http"):
            return plain_file(Path(place), MOST_BYTES)
        answer = httpx.get(place, follow_redirects=True, timeout=30)
        answer.raise_for_status()
    except (httpx.HTTPError, OSError) as error:
        raise KnowledgeError(f"{place}: can't be read: {error}") from None
    return answer.content


def _built(folder: Path, url_base: str) -> Iterator[Page]:
    for path in files_in(folder, {".html", ".htm"}):
        if not isinstance(path, Path):
            continue
        page = _Html()
        page.feed(plain_file(path, MOST_BYTES).decode("utf-8", errors="replace"))
        page.close()
        relative = path.relative_to(folder).as_posix()
        relative = relative[: -len(path.name)] if path.stem == "index" else relative
        if not page.canonical and not url_base:
            raise KnowledgeError(f"{path} doesn't say where it stands: set knowledge.url_base to the site's address")
        if not page.leads_on:
            yield Page(page.canonical or f"{url_base.rstrip('/')}/{relative}", frozenset(page.anchors), page.headings)


class _Html(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.canonical = ""
        self.leads_on = False
        """Whether it only redirects."""
        self.anchors: set[str] = {TOP}
        self.headings: dict[str, list[str]] = {}
        self._heading: tuple[str, list[str]] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = {key: value or "" for key, value in attrs}
        anchor = said.get("id") or (said.get("name") if tag == "a" else "") or ""
        if anchor:
            self.anchors.add(anchor)
        if tag == "link" and said.get("rel") == "canonical":
            self.canonical = said.get("href", "") if said.get("href", "").startswith("http") else ""
        self.leads_on |= tag == "meta" and said.get("http-equiv", "").lower() == "refresh"
        if HEADING.fullmatch(tag):
            self._heading = (anchor, [])
        elif self._heading and anchor and not self._heading[0]:
            self._heading = (anchor, self._heading[1])

    def handle_data(self, data: str) -> None:
        if self._heading:
            self._heading[1].append(data)

    def handle_endtag(self, tag: str) -> None:
        if self._heading and HEADING.fullmatch(tag):
            anchor, words = self._heading
            self._heading = None
            if anchor:
                self.headings.setdefault(_words("".join(words)), []).append(anchor)


def _words(heading: str) -> str:
    """Its letters and digits: sites put marks of their own behind headings."""
    return "".join(c for c in heading.casefold() if c.isalnum())
