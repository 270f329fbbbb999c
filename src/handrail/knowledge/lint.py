"""What is wrong with the articles of a knowledge base, as far as it can be told without a model."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import urldefrag, urlsplit

from handrail.knowledge.formats import FORMATS
from handrail.knowledge.links import anchors
from handrail.knowledge.markup.code import Code
from handrail.types import Passage

LEFTOVERS = {
    "template tag": re.compile(
        r"\{%.{0,200}?%\}|\{\{[<%].{0,200}?[>%]\}\}|\{\{-?\s?(?:site|page|include|layout)\b.{0,100}?\}\}", re.S
    ),
    "component": re.compile(
        r"</?[A-Z][\w.]*(?:\s[^<>\n]{0,300})?/?>|\{/\*|^import .{1,200} from ['\"]|^export (?:const|default) ", re.M
    ),
    "directive": re.compile(
        r"^[ \t>]*(?::{3,}\s?\w*|::[a-z][\w-]*(?:\{.*)?|!!! \w+.*|\?\?\?\+? \w+.*|={3}[+!]? \".*|\.\. [\w+:-]+::.*)$"
        r"|:(?:ref|doc|term|guilabel|menuselection|py:\w+):[`\ue000]|\{(?:doc|ref|term|[a-z-]+:[a-z]+)\}[`\ue000]"
        r"|-{1,2}8<-{1,2}|\{:[ .#\w][^{}\n]{0,100}\}|\{\.tab\}$",
        re.M,
    ),
}
"""Marks of generators that are left in a passage, outside of code."""
RESERVED = re.compile(r"(?:^|\.)(?:example\.(?:com|net|org)|example|test|invalid|localhost)$")
"""Hosts that stand for none, by RFC 2606 and 6761."""
ABSOLUTE = re.compile(r"https?://[^\s)<>\]]+")
SAME_WORDS = 25
"""Words of a passage from which its like in another article is a duplicate."""
SHOWN = 80


@dataclass(frozen=True, slots=True)
class Finding:
    kind: str
    article: str
    words: str
    """What it is about, as the article has it."""


def lint(passages: Sequence[Passage]) -> list[Finding]:
    """Of all passages of a knowledge base, in the order of kinds and articles."""
    found = [
        *_leftovers(passages),
        *_duplicates(passages),
        *_titles(passages),
        *_addresses(passages),
        *_anchors(passages),
    ]
    return sorted(set(found), key=lambda one: (one.kind, one.article, one.words))


def _leftovers(passages: Sequence[Passage]) -> Iterator[Finding]:
    for passage in passages:
        code = Code()
        text = code.indented(code.taken(passage.text))
        for kind, mark in LEFTOVERS.items():
            for found in mark.finditer(text):
                yield Finding(kind, passage.article_id, " ".join(found[0].split())[:SHOWN])


def _duplicates(passages: Sequence[Passage]) -> Iterator[Finding]:
    first: dict[str, str] = {}
    for passage in passages:
        words = " ".join(passage.text.split()).casefold()
        other = first.setdefault(words, passage.article_id)
        if other != passage.article_id and len(words.split()) >= SAME_WORDS:
            yield Finding("duplicate text", passage.article_id, f"as in {other}: {passage.text[:SHOWN]}")


def _titles(passages: Sequence[Passage]) -> Iterator[Finding]:
    named: dict[str, set[str]] = defaultdict(set)
    for passage in passages:
        named[passage.title].add(passage.article_id)
    for title, articles in named.items():
        for article in sorted(articles):
            if _is_file_name(title, article) or sum(c.isalpha() for c in title) < 3:
                yield Finding("title nobody would type", article, title)
            if len(articles) > 1:
                others = ", ".join(sorted(articles - {article})[:3])
                yield Finding("duplicate title", article, f"{title} (also {others})")


def _is_file_name(title: str, article: str) -> bool:
    """Whether nobody gave the page a title, so that it is called as its file is."""
    said = title.casefold()
    file = article.rpartition(":")[2]
    return (
        PurePosixPath(said).suffix in FORMATS
        or said in {article, article.replace(":", "/"), "index", "readme"}
        or (said == file and not file.isalpha())
    )


def _addresses(passages: Sequence[Passage]) -> Iterator[Finding]:
    for url, article in {
        passage.url.partition("#")[0]: passage.article_id for passage in passages if passage.url
    }.items():
        if RESERVED.search((urlsplit(url).hostname or "").lower()):
            yield Finding("placeholder address", article, url)


def _anchors(passages: Sequence[Passage]) -> Iterator[Finding]:
    """Links from one article to an anchor that another one doesn't have, as far as the index still knows them all."""
    held: dict[str, set[str]] = defaultdict(set)
    for passage in passages:
        page, _, anchor = passage.url.partition("#")
        held[page.rstrip("/")].add(anchor)
    for passage in passages:
        if anchors(passage.text):  # short sections that share a passage
            held.pop(passage.url.partition("#")[0].rstrip("/"), None)
    for passage in passages:
        for link in ABSOLUTE.findall(passage.text):
            page, anchor = urldefrag(link)
            if anchor and page.rstrip("/") in held and anchor not in held[page.rstrip("/")]:
                yield Finding("broken anchor", passage.article_id, link)
