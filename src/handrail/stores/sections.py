"""Articles as their readers see them: whole sections, put together again from the passages that are indexed.

A passage is as long as an encoder reads. A section is what stands under one heading: a procedure with all its steps and
warnings, or a few paragraphs. Passages hold parts of long sections, or several short ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from handrail.stores.snapshot import Snapshot
from handrail.text.markdown import NUMBERED_SECTION, plain, sentences
from handrail.types import PROSE, Kind, Passage, Section

HEADING = re.compile(r"(?m)^### (.+)$")
"""How the chunker sets the heading of a short section that shares its passage with others."""
ITEM = re.compile(r"\s*(?:\d+[.)]|[-*+])\s")
INTRODUCTION = 60
"""Words up to which what stands above the first heading is shown with the section behind it."""
ARTICLES_KEPT = 256
MOST_REPEATED = 8
"""Sentences at the beginning of a passage that may stand at the end of the one before it."""


class Sections:
    """Made article by article when asked for; thread-safe."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self.of_article = lru_cache(maxsize=ARTICLES_KEPT)(self._of_article)

    def of(self, passage: Passage) -> list[Section]:
        """The sections that a passage holds, or holds a part of, in reading order."""
        return [section for section in self.of_article(passage.article_id) if holds(section, passage)]

    def _of_article(self, article_id: str) -> tuple[Section, ...]:
        """In reading order."""
        passages = [self._snapshot.passages[row] for row in self._snapshot.rows.get(article_id, ())]
        text = [passage for passage in passages if passage.kind in PROSE]
        found: list[_Open] = []
        for part in (part for passage in text for part in _parts(passage)):
            if found and found[-1].takes(part):
                found[-1].add(part)
            else:
                found.append(_Open(part))
        closed = [section.closed(number) for number, section in enumerate(found)]
        if len(found) > 1 and found[0].introduces and not found[1].variant:
            closed[0] = _leading_to(closed[0], closed[1])
        figures = [passage for passage in passages if passage.kind is Kind.FIGURE]
        return (*closed, *(_figure(passage, number) for number, passage in enumerate(figures, len(closed))))


def holds(section: Section, passage: Passage) -> bool:
    """Whether the passage is one of the section's, or a row of a table in it."""
    if passage.kind is not Kind.ROW:
        return passage.id in section.passage_ids
    same = (section.article_id, section.headings) == (passage.article_id, passage.headings)
    return same and passage.text.rpartition("\n")[2] in section.text


def _figure(passage: Passage, number: int) -> Section:
    """A section of its own: what people wrote around it stands without it, and is believed more."""
    return Section(
        id=f"{passage.article_id}#{number}",
        article_id=passage.article_id,
        title=passage.title,
        headings=passage.headings,
        text=passage.text,
        url=passage.url,
        passage_ids=(passage.id,),
        figure=True,
    )


class _Part:
    """What one passage says under one heading."""

    def __init__(self, passage: Passage, headings: tuple[str, ...], text: str) -> None:
        self.passage, self.headings, self.text = passage, headings, text


class _Open:
    def __init__(self, part: _Part) -> None:
        self._first = self._last = part
        self._passages = [part.passage]
        self._text = _titled(part)

    def takes(self, part: _Part) -> bool:
        """Whether it belongs to the section: the same heading, or the next "Step n" of one procedure."""
        last = self._last.headings
        return last == part.headings or (
            _is_step(last) and _is_step(part.headings) and last[:-1] == part.headings[:-1] and last != part.headings
        )

    def add(self, part: _Part) -> None:
        if part.headings != self._last.headings:
            self._text += f"\n\n{_titled(part)}"
        else:
            self._text = _joined(self._text, part.text)
        self._last = part
        if part.passage is not self._passages[-1]:
            self._passages.append(part.passage)

    @property
    def introduces(self) -> bool:
        """Whether it is a few words above the first heading, which seldom answer alone."""
        return not self._first.headings and len(self._text.split()) <= INTRODUCTION

    @property
    def variant(self) -> bool:
        return self._first.passage.kind is Kind.VARIANT

    def closed(self, number: int) -> Section:
        first, headings = self._first.passage, self._first.headings
        return Section(
            id=f"{first.article_id}#{number}",
            article_id=first.article_id,
            title=first.title,
            headings=headings[:-1] if _is_step(headings) else headings,
            text=self._text.strip(),
            url=first.url,
            passage_ids=tuple(passage.id for passage in self._passages),
        )


def _leading_to(introduction: Section, first: Section) -> Section:
    heading = f"**{first.headings[-1]}**\n\n" if first.headings else ""
    return replace(introduction, leads_to=heading + first.text)


def _titled(part: _Part) -> str:
    """A step that is a section of its own keeps its heading."""
    return f"**{part.headings[-1]}**\n\n{part.text}" if _is_step(part.headings) else part.text


def _is_step(headings: Sequence[str]) -> bool:
    return bool(headings and NUMBERED_SECTION.match(headings[-1]))


def _parts(passage: Passage) -> Iterator[_Part]:
    """A passage cut where a short section ends and the next one begins; code that looks so is not cut."""
    if "```" in passage.text or "~~~" in passage.text:
        yield _Part(passage, passage.headings, passage.text)
        return
    before, *rest = HEADING.split(passage.text)
    if before.strip():
        yield _Part(passage, passage.headings, before.strip())
    path: list[str] = []
    for heading, text in zip(rest[::2], rest[1::2], strict=True):
        path.append(plain(heading))
        if text.strip():
            yield _Part(passage, (*passage.headings, *path), text.strip())
            path = []


def _joined(left: str, right: str) -> str:
    """`right` behind `left`, without what the chunker repeats: sentences, the header of a table, an opening fence."""
    header = _header(left)
    if header and right.startswith(header):
        return f"{left}\n{right[len(header) :].lstrip(chr(10))}"
    right = _without_repeated(left, right)
    if left.endswith(("```", "~~~")) and right.startswith(left[-3:]):
        opened, _, code = right.partition("\n")
        return f"{left[:-3].rstrip()}\n{code}" if _opens_again(left, opened) else f"{left}\n\n{right}"
    last = left.rstrip().rsplit("\n", 1)[-1]
    items = ITEM.match(right) and (ITEM.match(last) or last.startswith("  "))
    return f"{left}\n{right}" if items else f"{left}\n\n{right}"


def _header(text: str) -> str:
    """The header rows of the table with which `text` ends; empty where it ends with none."""
    block = text.rsplit("\n\n", 1)[-1]
    lines = block.split("\n")
    return "\n".join(lines[:2]) if len(lines) > 2 and all(line.lstrip().startswith("|") for line in lines) else ""


def _opens_again(left: str, opened: str) -> bool:
    """Whether the fence that `left` ended with was opened with the same words."""
    fences = [line.strip() for line in left.split("\n") if line.strip().startswith(left[-3:])]
    return len(fences) >= 2 and fences[-2] == opened.strip()


def _without_repeated(left: str, right: str) -> str:
    said = [] if ITEM.match(right) else sentences(right.split("\n", 1)[0])[:MOST_REPEATED]
    ends = " ".join(left[-4000:].split())
    for count in range(len(said), 0, -1):
        again = " ".join(said[:count])
        if ends.endswith(again) and right.startswith(again):
            return right[len(again) :].lstrip()
    return right
