"""HTML: pages of a help centre as they are served or exported, and the bodies that help desks' APIs give."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bs4 import BeautifulSoup, UnicodeDammit
from bs4.element import Tag
from markdownify import ATX, MarkdownConverter

from handrail.errors import KnowledgeError
from handrail.knowledge import Article, Rejected, Skipped, Unpublished
from handrail.knowledge.formats import Document
from handrail.knowledge.formats.html_tree import (
    BEHIND_TABS,
    TooLarge,
    attribute,
    classes,
    joined,
    label_panels,
    main_of,
    prepare,
    tree,
)
from handrail.knowledge.front_matter import led
from handrail.knowledge.links import address
from handrail.knowledge.markup import Around, with_includes
from handrail.knowledge.markup.figures import FIGURE
from handrail.knowledge.metadata import facets
from handrail.knowledge.publication import held_back
from handrail.text.markdown import END_OF_TABS, OWN_ANCHOR

MARKS = re.compile(r"[*`]|\\(?=[!-/:-@\[-`{-~])|(?<!\w)_|_(?!\w)|<(?=[A-Za-z/!?])|&(?=#?\w+;)|\](?=\()")
"""What Markdown would take for a mark in text that is none."""
NUMBERED = re.compile(r"\[(\d{1,3})\]")
BLANK = re.compile(r"\n[ \t]*(?:\n[ \t]*){2,}")
TEMPLATE = re.compile(r"\A\s*\{%-?\s*(?:extends|block|load|layout)\b")
"""How a file begins that Jinja, Twig, Django or Liquid make pages from."""
NOT_INDEXED = frozenset(("noindex", "none"))
REFRESH = re.compile(r"\s*\d{1,9}\s*[;,]\s*url\s*=\s*['\"]?([^'\"\s]{1,2000})", re.I)


@dataclass(frozen=True, slots=True)
class Page:
    title: str
    body: str
    canonical: str
    """The address that the page calls its own; empty where it names none."""
    held_back: str
    """Why it must not be indexed; empty where it may."""
    redirect: str
    """Where the page sends its readers; empty where it is one to read."""


def markdown_of(html: str, url: str = "") -> str:
    """A fragment, such as the body of an article that an API gives. Raises KnowledgeError."""
    return _body(_tree(html), url)


def page_of(html: str | bytes, url: str = "") -> Page:
    """A whole page. Bytes are read in the encoding they declare. Raises KnowledgeError."""
    soup = _tree(html if isinstance(html, str) else _decoded(html))
    said = {attribute(tag, "name").lower(): attribute(tag, "content") for tag in soup.find_all("meta")}
    robots = {word.strip().lower() for key in ("robots", "googlebot") for word in said.get(key, "").split(",")}
    link = soup.find("link", rel="canonical")
    canonical = joined(url, attribute(link, "href").strip()) if isinstance(link, Tag) else ""
    canonical = canonical if canonical.startswith(("http://", "https://")) else ""
    held_back = "robots: noindex" if robots & NOT_INDEXED else ""
    redirect = _redirect(soup, url)
    if held_back or redirect:
        return Page("", "", canonical, held_back, redirect)
    main = main_of(soup)
    heading = main.find("h1") or soup.find("h1")
    title = heading.get_text(" ", strip=True).rstrip(" ¶#") if isinstance(heading, Tag) else ""
    if isinstance(heading, Tag):
        around = heading.find_parent("header")
        (around if around is not None and around is not main else heading).decompose()
    if not title:
        title = said.get("og:title", "") or (soup.title.get_text(strip=True) if soup.title else "")
    return Page(" ".join(title.split()), _body(main, url or canonical), canonical, "", "")


class Html:
    suffixes = frozenset({".html", ".htm"})

    def read(self, document: Document) -> Iterator[Article | Rejected | Unpublished]:
        fields, html = led(_decoded(document.data()))
        if TEMPLATE.search(html):
            yield Skipped(str(document.path), "a template that pages are made from, not a page")
            return
        site = document.site
        if site is not None and site.generator == "jekyll" and fields:
            around = Around(document.path, site.root, site.generator, fields, site.config, document.max_bytes)
            html = with_includes(html, around)
        page = page_of(html, document.url)
        why = held_back(fields) or page.held_back or (f"redirects to {page.redirect}" if page.redirect else "")
        if why:
            yield Unpublished(document.id, str(document.path), why)
        else:
            title = str(fields.get("title") or page.title or document.name)
            url = page.canonical or address(document, fields)
            yield Article(document.id, title, page.body, url, facets(fields))


def _redirect(soup: BeautifulSoup, url: str) -> str:
    for tag in soup.find_all("meta"):
        if attribute(tag, "http-equiv").lower() == "refresh" and (found := REFRESH.match(attribute(tag, "content"))):
            return joined(url, found[1])
    return ""


def _decoded(html: bytes) -> str:
    found = UnicodeDammit(html, is_html=True)
    if found.unicode_markup is None or found.contains_replacement_characters:
        raise KnowledgeError("not in the encoding it declares; save it as UTF-8")
    return str(found.unicode_markup)


def _tree(html: str) -> BeautifulSoup:
    try:
        return tree(html)
    except TooLarge as error:
        raise KnowledgeError(f"holds {error}; split the page") from None


def _body(root: Tag, url: str) -> str:
    try:
        label_panels(root)
        prepare(root, url)
    except TooLarge as error:
        raise KnowledgeError(f"holds {error}; split the page") from None
    text = _Converter().convert_soup(root).replace(BEHIND_TABS, END_OF_TABS)
    return BLANK.sub("\n\n", text).strip()


class _Converter(MarkdownConverter):
    def __init__(self) -> None:
        super().__init__(heading_style=ATX, bullets="-", table_infer_header=True, code_language_callback=_language)

    def escape(self, text: str, parent_tags: set[str]) -> str:
        text = NUMBERED.sub(r"\\[\1\\]", MARKS.sub(r"\\\g<0>", text))
        return text.replace("|", r"\|") if parent_tags & {"td", "th"} else text

    def convert_a(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """In one line: a link may hold a picture above its words, or paragraphs."""
        words = " ".join(FIGURE.sub("", text).split()) or " ".join(text.split())
        return str(super().convert_a(el, words if "\n" in text.strip() else text, parent_tags))  # type: ignore[misc]

    def convert_hN(self, n: int, el: Tag, text: str, parent_tags: set[str]) -> str:
        words = " ".join(text.split())
        if "_inline" in parent_tags or not words:
            return words
        anchor = f" {{#{el['id']}}}" if el.get("id") else ""
        anchored = f"{words}{anchor}"
        return f"\n\n{'#' * n} {anchored if OWN_ANCHOR.search(anchored) else words}\n\n"


def _language(el: Tag) -> str:
    """Of a code block, as highlighters note it: `language-python` on the block, its code or what is around them."""
    inner = el.find("code")
    around = el.find_parent("div")
    named = [name for tag in (inner, el, around) if isinstance(tag, Tag) for name in classes(tag)]
    found = next((name for name in named if name.startswith(("language-", "highlight-"))), "")
    language = found.partition("-")[2]
    return language if re.fullmatch(r"[\w+#-]{1,20}", language) else ""
