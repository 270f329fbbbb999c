"""Links between the pages of a source that lead nowhere."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from mimetypes import guess_type
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urldefrag, urlsplit

from handrail.errors import KnowledgeError
from handrail.knowledge import Article
from handrail.knowledge.files import files_in
from handrail.knowledge.folder import Folder
from handrail.knowledge.formats import Document
from handrail.knowledge.front_matter import split
from handrail.knowledge.links import anchored, anchors, page_path
from handrail.knowledge.lint import Finding
from handrail.knowledge.markup.code import Code
from handrail.knowledge.markup.references import resolved
from handrail.knowledge.sites import Sites

LINK = re.compile(
    r"(!?)\[[^\[\]\n]{0,500}\]\(<?([^()\s<>]{1,1000})>?(?: \"[^\"\n]*\")?\)"
    r"|<[A-Za-z][^<>]{0,500}?\shref=[\"'](/[^\"'<>\s]{1,1000})[\"']"
)
NAMED = re.compile(r"<[A-Za-z][^<>]{0,500}?\s(?:id|name)=[\"']([^\"'<>\s]{1,200})[\"']")
"""The anchor that an element is."""
MARKDOWN = frozenset((".md", ".mdx", ".markdown"))
NO_HOST = "https://site.invalid"
"""Stands for a site whose address isn't known."""
MOVED = ("aliases", "redirect_from")
"""Fields in which Hugo and Jekyll keep the other addresses of a page."""
STATIC = ("", "static", "public")
"""Folders of a site whose files stand at its root."""


@dataclass(frozen=True, slots=True)
class Followed:
    """The links of one source."""

    findings: list[Finding]
    unchecked: int
    """Links to parts of the site that are no articles, so that nobody can tell here where they lead."""


def lint_links(root: Path, max_bytes: int, url_base: str = "") -> Followed:
    """`url_base` as the articles are read with; it tells which links that begin with `/` belong to them."""
    return _Source(root, max_bytes, url_base).followed()


class _Source:
    def __init__(self, root: Path, max_bytes: int, url_base: str) -> None:
        folder = root if root.is_dir() else root.parent
        sites = Sites(folder)
        articles, addressed = _articles(root, max_bytes, url_base)
        self._bodies = {article.id: article.body for article in articles}
        self._pages: dict[str, Document] = {}
        for path in files_in(root, MARKDOWN) if root.is_dir() else [root]:
            if isinstance(path, Path) and path.suffix.lower() in MARKDOWN:
                document = Document(path, folder, "", max_bytes, sites.of(path))
                if document.id in self._bodies:
                    self._pages[document.id] = document
        self._known = _Known(articles, addressed)
        self._anchors: dict[str, set[str]] = {}
        self._findings: list[Finding] = []
        self._open: list[tuple[Document, str]] = []
        """Links that begin with `/` and for which no page or file was found."""

    def followed(self) -> Followed:
        texts = {document: Code().taken(document.text()) for document in self._pages.values()}
        for document in texts:
            self._known.moved(_fields(document))
        for document, text in texts.items():
            for link in LINK.finditer(resolved(text)):
                if not link[1]:
                    self._follow(document, link[2] or link[3])
        nowhere = [(document, target) for document, target in self._open if self._known.covers(target)]
        self._findings += [Finding("broken link", document.id, target) for document, target in nowhere]
        return Followed(self._findings, len(self._open) - len(nowhere))

    def _follow(self, document: Document, said: str) -> None:
        target, anchor = urldefrag(said)
        if ":" in target or target.startswith(("//", "{")) or "\ue000" in target or "{" in anchor:
            return
        article = self._known.article(target) if target.startswith("/") else None
        page: Document | None = document if not target else self._pages.get(article or "")
        if target and article is None:
            places = [folder / unquote(target.partition("?")[0].lstrip("/")) for folder in _looked_in(document, target)]
            ways = (_page(way, document) for place in places for way in _ways(place))
            page = next((self._pages.get(one.id, one) for one in ways if one is not None), None)
            article = page.id if page is not None else None
            if page is None and not any(place.exists() for place in places):
                if not target.startswith("/"):
                    self._findings.append(Finding("broken link", document.id, said))
                elif not self._known.folder(target):
                    self._open.append((document, said))
                return
        if target.startswith("/") and article is not None:
            self._known.led_to(target)
        if page is not None and anchor and page.id in self._bodies and unquote(anchor) not in self._anchors_of(page):
            self._findings.append(Finding("broken anchor", document.id, said))

    def _anchors_of(self, page: Document) -> set[str]:
        """A heading with an element of another name above it keeps its own."""
        if page.id not in self._anchors:
            text, generator = page.text(), page.site.generator if page.site is not None else ""
            made = anchors(self._bodies[page.id]) | anchors(anchored(text, generator))
            self._anchors[page.id] = made | set(NAMED.findall(text))
        return self._anchors[page.id]


class _Known:
    """What can be told of addresses on the site that the articles stand on."""

    def __init__(self, articles: Sequence[Article], addressed: bool) -> None:
        """`addressed` is whether the site's address is known: else its articles may stand in a folder of it."""
        hosts = Counter(urlsplit(article.url).netloc for article in articles if article.url)
        host = hosts.most_common(1)[0][0] if hosts else ""
        on_site = (article for article in articles if article.url and urlsplit(article.url).netloc == host)
        self._articles = {page_path(article.url): article.id for article in on_site}
        above = {str(folder) for path in self._articles for folder in PurePosixPath(path).parents}
        self._folders = above - set(self._articles)
        leaves = [path for path in self._articles if path not in above]
        self._base = (
            os.path.commonpath([PurePosixPath(path).parent for path in leaves]) if addressed and leaves else "/"
        )
        self._sections = {_section(path) for path in leaves} if addressed else set[str]()
        """First folders of addresses in which articles stand; "" for the site's own."""

    def moved(self, fields: Mapping[str, Any]) -> None:
        """Note the addresses that lead on to the page that has these fields."""
        for said in (fields.get(name) for name in MOVED):
            for one in said if isinstance(said, list) else [said]:
                if isinstance(one, str):
                    self._folders.add(page_path(f"{self._base.rstrip('/')}/{one.lstrip('/')}"))
                    self._folders.add(page_path(one))

    def article(self, target: str) -> str | None:
        """The id of the one that stands there."""
        return self._articles.get(page_path(target))

    def folder(self, target: str) -> bool:
        """Whether articles stand below it, or it leads on to one."""
        return page_path(target) in self._folders

    def led_to(self, target: str) -> None:
        """An article was found there, so the others of its section are where their files say, too."""
        self._sections.add(_section(page_path(target)))

    def covers(self, target: str) -> bool:
        """Whether an article would stand there if anything did."""
        path = PurePosixPath(page_path(target))
        if path.suffix not in MARKDOWN and guess_type(path)[0]:  # a download or picture, which may lie anywhere
            return False
        return path.is_relative_to(self._base) and (self._base != "/" or _section(str(path)) in self._sections)


def _section(path: str) -> str:
    first, _, inner = path.strip("/").partition("/")
    return first if inner else ""


def _articles(root: Path, max_bytes: int, url_base: str) -> tuple[list[Article], bool]:
    """And whether the site's address is known, by `url_base` or by its own configuration."""
    articles: list[Article] = []
    for base in (url_base, NO_HOST):
        articles = [item for item in Folder(root, base, max_bytes).articles() if isinstance(item, Article)]
        if any(article.url for article in articles):
            return articles, base != NO_HOST
    return articles, False


def _fields(document: Document) -> Mapping[str, Any]:
    try:
        return split(document.text())[0]
    except KnowledgeError:
        return {}


def _looked_in(document: Document, target: str) -> Iterator[Path]:
    """Where a link may begin: in the page's folder; Docusaurus also looks in that of all pages, and of the site.

    A link of Hugo begins at the address of the page, which is a folder of its own. One with `/` begins at the root.
    """
    site = document.site
    if target.startswith("/"):
        roots = dict.fromkeys((document.root, *((site.root, site.content) if site is not None else ())))
        yield from (folder / inner for folder in roots for inner in STATIC)
    else:
        yield document.path.parent
        if site is not None and site.generator == "hugo":
            yield document.path.with_suffix("")
    if site is not None and site.generator == "docusaurus":
        above = document.path.parents
        yield from (folder for folder in above if folder.is_relative_to(document.root))


def _ways(place: Path) -> Iterator[Path]:
    yield place
    for end in (".md", ".mdx", ".markdown", "/index.md", "/index.mdx", "/README.md"):
        yield Path(f"{str(place).rstrip('/').removesuffix('.html')}{end}")


def _page(path: Path, document: Document) -> Document | None:
    real = path.resolve()
    if not real.is_file() or not real.is_relative_to(document.root.resolve()):
        return None
    return Document(real, document.root.resolve(), "", document.max_bytes)
