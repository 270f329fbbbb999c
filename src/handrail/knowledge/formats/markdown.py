"""Markdown and MDX with optional front matter."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from handrail.errors import KnowledgeError
from handrail.knowledge import Article, Rejected, Unpublished
from handrail.knowledge.dialects import plain_markdown
from handrail.knowledge.formats import Document
from handrail.knowledge.front_matter import split
from handrail.knowledge.metadata import facets, links
from handrail.knowledge.publication import held_back
from handrail.text.markdown import OWN_ANCHOR

FIRST_HEADING = re.compile(r"\s*#[ \t]+(\S[^\n]*)")
RELATIVE_LINK = re.compile(r"!?\[([^\[\]\n]{0,500})\]\((?!https?:|mailto:)[^)\n]{0,1000}\)")


class Markdown:
    suffixes = frozenset({".md", ".markdown", ".mdx"})

    def read(self, document: Document) -> Iterator[Article | Rejected | Unpublished]:
        said, body = split(document.text())
        if why := held_back(said):
            yield Unpublished(document.id, str(document.path), why)
            return
        body = plain_markdown(body, mdx=document.path.suffix.lower() == ".mdx")
        fields = {key: _text(key, said[key]) for key in ("title", "url") if said.get(key)}
        heading = FIRST_HEADING.match(body)
        own = OWN_ANCHOR.sub("", heading[1].rstrip()).rstrip().rstrip("#").rstrip() if heading else ""
        if heading and (fields.get("title") or own).casefold() == own.casefold():
            body = body[heading.end() :]
        beside = links(body, document)
        body = RELATIVE_LINK.sub(r"\1", body)
        title = fields.get("title") or own or document.name
        yield Article(document.id, title, body.strip(), fields.get("url") or document.url, facets(said) | beside)


def _text(key: str, value: Any) -> str:
    if isinstance(value, list | dict | set | tuple):
        raise KnowledgeError(f"{key} in the front matter must be a single text, not a list or table")
    return str(value).strip()
