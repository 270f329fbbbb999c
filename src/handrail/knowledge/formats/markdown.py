"""Markdown and MDX with optional front matter."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from handrail.errors import KnowledgeError
from handrail.knowledge import Article, Rejected, Unpublished
from handrail.knowledge.formats import Document
from handrail.knowledge.front_matter import split
from handrail.knowledge.links import address, anchored, owned
from handrail.knowledge.markup import Around, plain_markdown, robots_say_no
from handrail.knowledge.markup.code import Code
from handrail.knowledge.metadata import facets, links
from handrail.knowledge.publication import held_back
from handrail.knowledge.sites import Site
from handrail.text.markdown import ANCHOR_MARK, OWN_ANCHOR, plain

FIRST_HEADING = re.compile(rf"\s*(?:{ANCHOR_MARK.pattern}\s*)*#[ \t]+(?P<said>\S[^\n]*)")
RELATIVE_LINK = re.compile(
    r"!?\[([^\[\]\n]{0,500})\]\((?!https?:|mailto:)[^()\n]{0,1000}(?:\([^()\n]{0,200}\)[^()\n]{0,500})?\)"
)


class Markdown:
    suffixes = frozenset({".md", ".markdown", ".mdx"})

    def read(self, document: Document) -> Iterator[Article | Rejected | Unpublished]:
        said, body = split(document.text())
        why = held_back(said) or ("noindex" if robots_say_no(body) else None)
        if why:
            yield Unpublished(document.id, str(document.path), why)
            return
        site = document.site or Site(document.root)
        around = Around(document.path, site.root, site.generator, said, site.config, document.max_bytes)
        around = replace(around, rst=lambda text: _rst(text, document, site))
        body = plain_markdown(body, mdx=document.path.suffix.lower() == ".mdx", around=around)
        fields = {key: _text(key, said[key]) for key in ("title", "url") if said.get(key)}
        heading = FIRST_HEADING.match(body)
        own = OWN_ANCHOR.sub("", heading["said"].rstrip()).rstrip().rstrip("#").rstrip() if heading else ""
        if heading and (fields.get("title") or own).casefold() == own.casefold():
            body = body[heading.end() :]
        code = Code()
        prose = code.taken(body)
        beside = links(prose, document)
        body = anchored(code.back(owned(RELATIVE_LINK.sub(r"\1", prose))), site.generator)
        title = fields.get("title") or plain(own) or document.name
        yield Article(document.id, title, body.strip(), address(document, said), facets(said) | beside)


def _rst(text: str, document: Document, site: Site) -> str:
    """A piece in reStructuredText, which pages of Sphinx may hold, as Markdown; nothing where it can't be read."""
    from handrail.knowledge.formats.rst import fragment

    try:
        return fragment(text, document, site)
    except KnowledgeError:
        return ""


def _text(key: str, value: Any) -> str:
    if isinstance(value, list | dict | set | tuple):
        raise KnowledgeError(f"{key} in the front matter must be a single text, not a list or table")
    return str(value).strip()
