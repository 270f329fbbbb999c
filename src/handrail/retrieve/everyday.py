"""Everyday words of a question read as the words that the articles have for the same thing (`everyday.txt`).

Only what the articles lack is touched: where they speak of coupons, a coupon stays one; where they only know discount
codes, it is searched for as one. The visitor's own words stay in everything that is shown.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from handrail.language import of_message
from handrail.stores.snapshot import Snapshot
from handrail.stores.tokens import STOP, WORD, stems, words

LANG = "en"
Words = tuple[str, ...]
COMPANY = "*"
LONGEST = 5
"""Words of a phrase."""
ANOTHER = "another "
WHOSE = re.compile(r"\b(?:an?|the|my|your|our|his|her|their|another)\s+$", re.I)
"""What stands before a wife, and not before another person."""


@dataclass(frozen=True, slots=True)
class Line:
    """Terms that may be read as something else, and as what, the plainest first."""

    said: Sequence[str]
    meant: Sequence[str]
    one_of_a_kind: bool = False
    """Whether what was said stays, with what it is one of behind it."""
    whole: bool = False
    """Whether it is read so only where nothing else is said, whatever words the articles have."""


class EverydayWords:
    def __init__(self, snapshot: Snapshot, lines: Iterable[Line] | None = None, company: str = "") -> None:
        """The first of `lines` that helps with a term wins; `company` is the name that stands in them as `*`."""
        self._instead: dict[Words, str] = {}
        self._whole: dict[Words, str] = {}
        if snapshot.lang != LANG:
            return
        lines = [named for line in (shipped() if lines is None else lines) if (named := _named(line, company))]
        known = _Known(snapshot, {term for line in lines for side in (line.said, line.meant) for term in side})
        for line in lines:
            there = [term for term in line.meant if known(term)]
            if line.whole and there:
                self._whole |= {tuple(words(term)): there[0] for term in line.said}
                continue
            for term in line.said:
                if there and not known.exactly(term):
                    meant = f"{term} {there[0]}" if line.one_of_a_kind else there[0]
                    self._instead.setdefault(tuple(words(term)), meant)

    def read(self, text: str) -> str:
        """`text` in the articles' words; itself where they have all of its words, or it is in another language."""
        if not (self._instead or self._whole) or of_message(text) != LANG:
            return text
        alone = self._whole.get(tuple(words(text.replace("’", "'"))))
        if alone is not None:
            return alone
        typed = list(WORD.finditer(text))
        said = set(stems(text))
        out, end, at = [], 0, 0
        while at < len(typed):
            size, meant = self._meant(text, typed[at : at + LONGEST])
            if size and not set(stems(meant)) <= said:
                before = text[end : typed[at].start()]
                out += [WHOSE.sub("", before) if meant.startswith(ANOTHER) else before, meant]
                end = typed[at + size - 1].end()
            at += size or 1
        return "".join((*out, text[end:]))

    def _meant(self, text: str, typed: Sequence[re.Match[str]]) -> tuple[int, str]:
        """How many of the words mean something else here, the most first, and what; 0 where none does."""
        for size in range(len(typed), 0, -1):
            run = typed[:size]
            if not all(text[one.end() : two.start()].isspace() for one, two in itertools.pairwise(run)):
                continue
            term = tuple(word[0].lower().replace("’", "'") for word in run)
            if term in self._instead:
                return size, self._instead[term]
            for single in ((*term[:-1], term[-1].removesuffix(ending)) for ending in ("s", "es")):
                if single != term and single in self._instead:
                    return size, _plural(self._instead[single])
        return 0, ""


class _Known:
    """What the articles say: words in any form, and those of the phrases that are asked for.

    A phrase of two words that mean something is there without its small ones ("invite team members" for "invite a team
    member"), another as it stands ("sign in").
    """

    def __init__(self, snapshot: Snapshot, terms: Iterable[str]) -> None:
        texts = [words(passage.embedding_text) for passage in snapshot.passages]
        self._stems = {word: stems(word)[0] for word in {word for text in texts for word in text}}
        self._words = {*self._stems, *(word.replace("-", "") for word in self._stems)}
        phrases = {tuple(words(term)) for term in terms}
        as_it_stands = {stems(" ".join(phrase)) for phrase in phrases if len(phrase) > 1}
        content = {of for phrase in phrases if len(of := self._content(phrase)) > 1}
        stemmed = (tuple(self._stems[word] for word in text) for text in texts)
        self._as_it_stands = set(_among(as_it_stands, stemmed))
        self._said = set(_among(content, map(self._content, texts)))

    def __call__(self, term: str) -> bool:
        """Whether it may stand for something that the articles lack."""
        content = self._content(words(term))
        return content in self._said if len(content) > 1 else self.exactly(term)

    def exactly(self, term: str) -> bool:
        phrase = words(term)
        if len(phrase) > 1:
            return stems(term) in self._as_it_stands
        return any(form in self._words for form in _forms(phrase[0]))

    def _content(self, phrase: Sequence[str]) -> Words:
        return tuple(self._stems.get(word) or stems(word)[0] for word in phrase if word not in STOP)


def _forms(word: str) -> Iterator[str]:
    """A word and its inflections; "account" is no form of "accountant", whose stem it has."""
    root = word.removesuffix("s")
    yield from (word, root, word.replace("-", ""))
    for stem in (root, root.removesuffix("e"), root.removesuffix("y") + "i"):
        yield from (stem + ending for ending in ("s", "es", "d", "ed", "ing"))


def _among(phrases: set[Words], texts: Iterable[Words]) -> Iterator[Words]:
    begins: dict[str, list[Words]] = {}
    for phrase in phrases:
        begins.setdefault(phrase[0], []).append(phrase)
    for text in texts:
        for at, word in enumerate(text):
            for phrase in begins.get(word, ()):
                if text[at : at + len(phrase)] == phrase:
                    yield phrase


def _named(line: Line, company: str) -> Line | None:
    """The line with the company's name in its place; None where that is not known."""
    if not any(COMPANY in term for term in line.said):
        return line
    said, meant = (tuple(term.replace(COMPANY, company.lower()) for term in side) for side in (line.said, line.meant))
    return replace(line, said=said, meant=meant) if company else None


def _plural(term: str) -> str:
    return term if term.endswith("s") else f"{term}s"


@cache
def shipped() -> tuple[Line, ...]:
    text = (files("handrail.retrieve") / "everyday.txt").read_text(encoding="utf-8")
    lines = (line for line in text.splitlines() if line.strip() and not line.startswith("#"))
    return tuple(_line(line) for line in lines)


@cache
def said() -> frozenset[str]:
    """The words that visitors say, each by itself."""
    return frozenset(word for line in shipped() for term in line.said for word in words(term))


def _line(line: str) -> Line:
    said, sign, meant = next(
        (found for sign in (" > ", " + ", " = ") if (found := line.partition(sign))[1]), (line, "", line)
    )
    return Line(_terms(said), _terms(meant), sign == " + ", sign == " = ")


def _terms(text: str) -> tuple[str, ...]:
    return tuple(term.strip() for term in text.split(","))
