"""Words and sentences with their places in the text as it stands, Markdown and all: offsets of quotes stay valid."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

import Stemmer

HIDDEN = re.compile(
    r"\]\([^)\s]{0,500}\)|<!--.*?-->|</?[A-Za-z][\w.:-]*(?:\s[^<>]{0,500})?/?>"
    r"|(?m:^\s*(?:\d{1,3}[.)]|[-*+>])\s)|(?m:^\s*\|?[\s:|-]*-{3,}[\s:|-]*$)"
)
"""What is no word to a reader: link targets, tags, list markers, table rules."""
TOKEN = re.compile(
    r"[^\W\d_]+-?\d[^\W_]*(?:-[^\W_]+)*"
    r"|\d+(?:[.,:]\d+)*"
    r"|[^\W\d_]+(?:['’][^\W\d_]+)*"
    r"|[^\W_]+"
    r"|[€$£¥%]"
)
SENTENCE_END = re.compile(
    r"(?<![ .][a-zA-Z])(?<!\bMr)(?<!\be\.g)(?<!\bi\.e)(?<!\bapprox)[.!?…][)\"'”’*_]*(?=\s|$)|[。！？]|\n+"
)


@dataclass(frozen=True, slots=True)
class Token:
    """One word, number, code or sign."""

    text: str
    """As written, with a straight apostrophe."""
    start: int
    end: int
    lower: str = field(init=False, compare=False, repr=False)
    stem: str = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Both are asked for many times for each that is made."""
        object.__setattr__(self, "lower", self.text.lower())
        object.__setattr__(self, "stem", stem(self.lower))


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, a list item or a table row of a text."""

    start: int
    end: int
    tokens: tuple[Token, ...]


def visible(text: str) -> str:
    """`text` at the same length, with spaces in place of what a reader does not see."""
    return HIDDEN.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


@lru_cache(maxsize=512)
def tokens(text: str) -> tuple[Token, ...]:
    return tuple(Token(m[0].replace("’", "'"), m.start(), m.end()) for m in TOKEN.finditer(visible(text)))


@lru_cache(maxsize=512)
def sentences(text: str) -> tuple[Sentence, ...]:
    """In reading order; those without a word are left out."""
    words = tokens(text)
    found = []
    at = 0
    for _, end in _bounds(visible(text)):
        first = at
        while at < len(words) and words[at].start < end:
            at += 1
        if at > first:
            found.append(Sentence(words[first].start, max(end, words[at - 1].end), words[first:at]))
    return tuple(found)


def _bounds(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in SENTENCE_END.finditer(text):
        end = match.start() if match[0].startswith("\n") else match.end()
        yield start, end
        start = match.end()
    yield start, len(text)


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    return str(_stemmer().stemWord(word.removesuffix("'s")))


@lru_cache(maxsize=1)
def _stemmer() -> Stemmer.Stemmer:
    return Stemmer.Stemmer("english")
