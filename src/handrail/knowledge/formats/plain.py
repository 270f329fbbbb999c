"""Plain text: headings that are numbered, in capitals, underlined or marked with `#`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from handrail.knowledge import Article, Rejected, Unpublished
from handrail.knowledge.formats import Document
from handrail.knowledge.formats.body import BULLET, Body, article, item, prose
from handrail.knowledge.front_matter import led
from handrail.text.markdown import NEWLINE

HEADING_CHARS = 90
UNDERLINE = re.compile(r"\s*(?:(=)\1{2,}|([-~^*_])\2{2,})\s*$")
NUMBER = re.compile(r"(\d{1,3}(?:\.\d{1,3}){0,4})[.)]?\s+(?=[^\W_])")
MARKED = re.compile(r"(#{1,6})\s+(?=\S)(.*?)[\s#]*$")
ITEM = re.compile(r"\s*(?:[-+*]|\d{1,3}[.)])\s+\S")
ROOM = 0.8
"""A line was ended on purpose if the next word would have fitted into this share of the widest line."""


class Plain:
    suffixes = frozenset({".txt", ".text"})

    def read(self, document: Document) -> Iterator[Article | Rejected | Unpublished]:
        fields, text = led(document.text())
        yield article(document, body_of(text), fields)


@dataclass(frozen=True, slots=True)
class _Heading:
    level: int
    text: str
    lines: int
    """How many it takes, its underline included."""


def body_of(text: str) -> Body:
    """What the text says, in Markdown; its title is the heading or short line with which it begins."""
    lines = [line.expandtabs(4).rstrip() for line in NEWLINE.split(text.replace("\f", "\n"))]
    width = max(map(len, lines), default=0)
    body = Body()
    at = 0
    while at < len(lines):
        if not lines[at]:
            at += 1
        elif heading := _heading(lines, at) or (None if body.lines else _opening(lines, at)):
            at += heading.lines
            if not body.lines and not body.title:
                body.title = heading.text
            else:
                body.heading(heading.level, heading.text)
        else:
            end = _end(lines, at)
            body.add(_paragraph(lines[at:end], width))
            at = end
    return body


def _opening(lines: Sequence[str], at: int) -> _Heading | None:
    """A short line on its own with which a text begins."""
    alone = _line(lines, at + 1) == ""
    return _Heading(1, lines[at].strip(), 1) if alone and at == _first(lines) and _short(lines[at]) else None


def _heading(lines: Sequence[str], at: int) -> _Heading | None:
    line, before, after = lines[at].strip(), _line(lines, at - 1), _line(lines, at + 1)
    if marked := MARKED.match(lines[at]):
        return _Heading(len(marked[1]), marked[2], 1)
    if not _short(line) or before:
        return None
    if (under := UNDERLINE.match(after)) and len(after.strip()) * 2 >= len(line):
        return _Heading(2 if under[1] else 3, line, 2)
    if not _near(lines, at, 1):
        return None  # nothing stands under it
    if numbered := NUMBER.match(line):
        level = 1 + len(numbered[1].split("."))
        nested = level > 2
        return _Heading(level, line, 1) if nested or (not after and not _goes_on(lines, at)) else None
    capital = line.isupper() and sum(map(str.isalpha, line)) >= 3
    return _Heading(2, line, 1) if capital and not ITEM.match(line) else None


def _goes_on(lines: Sequence[str], at: int) -> bool:
    """Whether the line that comes next, or the one before, has the number next to its own: steps, not headings."""
    number = _number(lines[at])
    below, above = (_number(_near(lines, at, step)) for step in (1, -1))
    return number is not None and (below == number + 1 or above == number - 1)


def _near(lines: Sequence[str], at: int, step: int) -> str:
    """The next line that is not empty, downwards or upwards."""
    at += step
    while 0 <= at < len(lines) and not lines[at]:
        at += step
    return _line(lines, at)


def _number(line: str) -> int | None:
    found = NUMBER.match(line.strip())
    return int(found[1]) if found and found[1].isdecimal() else None


def _short(line: str) -> bool:
    return len(line.strip()) <= HEADING_CHARS and not line.rstrip().endswith((".", ",", ";", ":", "!"))


def _end(lines: Sequence[str], at: int) -> int:
    """Behind the last line of the block that begins at `at`."""
    end = at + 1
    while end < len(lines) and lines[end] and not MARKED.match(lines[end]):
        end += 1
    return end


def _paragraph(lines: Sequence[str], width: int) -> Iterator[str]:
    """Lines as Markdown has them; one that was ended on purpose stays one."""
    inside = False
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        indent = len(line) - len(line.lstrip())
        begins = bool(ITEM.match(line)) or bool(BULLET.match(line.strip()))
        inside = inside or begins
        shown = item(_marked(line)) if begins else prose(line)
        lead = " " * (min(indent // 2, 4) * 3 if begins else 3 if inside and indent else 0)
        follows = after and not ITEM.match(after)
        broken = follows and len(line) + 1 + len(after.split()[0]) <= width * ROOM
        yield f"{lead}{shown}{'  ' if broken and not inside else ''}"


def _marked(line: str) -> str:
    """With the mark that Markdown has for an item, so that it is not taken for a star."""
    bare = line.strip()
    return f"-{bare[1:]}" if bare[0] in "*+" else bare


def _line(lines: Sequence[str], at: int) -> str:
    return lines[at] if 0 <= at < len(lines) else ""


def _first(lines: Sequence[str]) -> int:
    return next((at for at, line in enumerate(lines) if line), 0)
