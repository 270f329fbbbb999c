"""The Markdown of a report as tokens, for other formats: no tags, no pictures, and links to the sources' hosts only."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token

from handrail.report import Source

PARSER = MarkdownIt("commonmark", {"html": False}).enable("table")
LOWEST = 2
"""Headings of the text stand below those of the sections."""


def read(text: str, sources: Sequence[Source], lowest: int = LOWEST) -> list[Token]:
    """Headings are set `lowest` levels down."""
    hosts = {urlsplit(source.url).netloc for source in sources if web(source.url)}
    tokens = PARSER.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + lowest)}"
        if token.children is not None:
            token.children = _harmless(token.children, hosts)
    return tokens


def _harmless(tokens: Sequence[Token], hosts: set[str]) -> list[Token]:
    kept: list[Token] = []
    leads = False
    for token in tokens:
        if token.type == "link_open":
            href = str(token.attrGet("href") or "")
            leads = web(href) and urlsplit(href).netloc in hosts
        if token.type == "image" or (token.type in ("link_open", "link_close") and not leads):
            continue
        kept.append(token)
    return kept


def web(url: str) -> bool:
    return urlsplit(url).scheme in ("http", "https")
