"""Markdown files of the repository as HTML, and the links between pages checked."""

from __future__ import annotations

import base64
import mimetypes
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from handrail.text.markdown import slug

PARSER = MarkdownIt("commonmark", {"html": False}).enable("table")
LEADS_AWAY = frozenset({"link_open", "link_close", "image"})
FEW = 4
"""Words that are no sentence, such as a status."""
FOCUSED = {
    "<table>": '<div class="wide" tabindex="0" role="group" aria-label="Table"><table>',
    "</table>": "</table></div>",
    "<pre>": '<pre tabindex="0">',
}
"""What may be wider than a phone scrolls, with the keyboard, too."""


@dataclass(frozen=True, slots=True)
class Heading:
    level: int
    text: str
    id: str


@dataclass(slots=True)
class Source:
    """One Markdown file, read."""

    path: PurePosixPath
    """In the repository."""
    tokens: list[Token]
    headings: list[Heading] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    """Links that lead nowhere."""

    @property
    def title(self) -> str:
        return next((heading.text for heading in self.headings if heading.level == 1), self.path.stem)

    @property
    def begins(self) -> str:
        """The first sentence of the first paragraph that is more than a few words."""
        for opened, inline in zip(self.tokens, self.tokens[1:], strict=False):
            if opened.type == "paragraph_open" and _words(inline).count(" ") >= FEW:
                return _words(inline).partition(". ")[0].rstrip(".:") + "."
        return ""

    def html(self) -> Markup:
        return _html(self.tokens)

    def section(self, title: str) -> Markup | None:
        """What stands below a heading of the second level; None where there is none."""
        starts = [at for at, token in enumerate(self.tokens) if token.type == "heading_open" and token.tag == "h2"]
        for start, end in zip(starts, [*starts[1:], len(self.tokens)], strict=True):
            if _words(self.tokens[start + 1]) == title:
                return _html(self.tokens[start + 3 : end])
        return None

    def opening(self) -> Markup:
        """What stands between the title and the first heading below it."""
        heads = [at for at, token in enumerate(self.tokens) if token.type == "heading_open"]
        first, *others = heads
        return _html(self.tokens[first + 3 : others[0] if others else len(self.tokens)])


def read(root: Path, path: PurePosixPath, pages: Mapping[PurePosixPath, str]) -> Source:
    """`pages` says which files have a page. Links to other files of the repository become their names."""
    source = Source(path, PARSER.parse((root / path).read_text(encoding="utf-8")))
    seen: dict[str, int] = {}
    for opened, inline in zip(source.tokens, source.tokens[1:], strict=False):
        if opened.type == "heading_open":
            text = _words(inline)
            plain = slug(text)
            seen[plain] = seen.get(plain, -1) + 1
            name = f"{plain}-{seen[plain]}" if seen[plain] else plain
            opened.attrSet("id", name)
            source.headings.append(Heading(int(opened.tag[1]), text, name))
    for token in source.tokens:
        if token.children:
            token.children = list(_linked(source, token.children, root, pages))
    return source


def _linked(source: Source, tokens: Sequence[Token], root: Path, pages: Mapping[PurePosixPath, str]) -> Iterator[Token]:
    dropped = False
    for token in tokens:
        if token.type == "link_open":
            href = _target(source, str(token.attrGet("href") or ""), root, pages)
            dropped = href is None
            if href is not None:
                token.attrSet("href", href)
        if token.type == "image":
            token.attrSet("src", _picture(source, str(token.attrGet("src") or ""), root))
        if not (dropped and token.type in ("link_open", "link_close")):
            yield token


def _target(source: Source, href: str, root: Path, pages: Mapping[PurePosixPath, str]) -> str | None:
    """The address of a page, or that of another site; None for what has none. Notes files that are not there."""
    parts = urlsplit(href)
    if parts.scheme or href.startswith("#"):
        return href
    path = _normal(source.path.parent / unquote(parts.path))
    if path is None or not (root / path).exists():
        source.problems.append(f"{source.path} links to {href}, which isn't there")
        return None
    anchor = f"#{parts.fragment}" if parts.fragment else ""
    return pages[path] + anchor if path in pages else None


def _picture(source: Source, src: str, root: Path) -> str:
    """The picture itself, so that a page is one file. Notes one that is not there."""
    path = _normal(source.path.parent / unquote(urlsplit(src).path))
    if path is None or not (root / path).is_file():
        source.problems.append(f"{source.path} shows {src}, which isn't there")
        return ""
    kind = mimetypes.guess_type(path.name)[0]
    return f"data:{kind};base64,{base64.b64encode((root / path).read_bytes()).decode()}"


def _normal(path: PurePosixPath) -> PurePosixPath | None:
    """Without `..`; None for what lies outside the repository."""
    kept: list[str] = []
    for part in path.parts:
        if part == "..":
            if not kept:
                return None
            kept.pop()
        else:
            kept.append(part)
    return PurePosixPath(*kept)


def _words(inline: Token) -> str:
    said = (" " if token.type == "softbreak" else token.content for token in inline.children or ())
    return "".join(said)


def _html(tokens: Sequence[Token]) -> Markup:
    """The parser escapes what it does not know, tags among it."""
    shown = PARSER.renderer.render(tokens, PARSER.options, {})
    for tag, focused in FOCUSED.items():
        shown = shown.replace(tag, focused)
    return Markup(shown)  # noqa: S704


def quoted(text: str) -> Markup:
    """Text of an article or answer, which may hold anything: without links, and headings in bold."""
    tokens = PARSER.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = "p"
        if token.children:
            token.children = [child for child in token.children if child.type not in LEADS_AWAY]
    return _html(tokens)


class _Read(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.ids.add(value)
            if name == "href" and tag == "a" and value:
                self.links.append(value)


def broken(pages: Mapping[str, str]) -> list[str]:
    """Links between pages, by file name, that lead to no page or to no place in it."""
    known: dict[str, _Read] = {}
    for name, text in pages.items():
        known[name] = _Read()
        known[name].feed(text)
    found = []
    for name, page in known.items():
        for href in dict.fromkeys(page.links):
            parts = urlsplit(href)
            there = known.get(parts.path or name)
            if not parts.scheme and (there is None or (parts.fragment and unquote(parts.fragment) not in there.ids)):
                found.append(f"{name} links to {href}, which isn't there")
    return found
