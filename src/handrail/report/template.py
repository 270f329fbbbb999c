"""A template is Markdown: a title, a heading of the second level for each section, and guidance below it."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt

from handrail.errors import PermanentError
from handrail.report import Part, Template
from handrail.text.markdown import Block, gist, parse

LARGEST = 100_000
"""Bytes of a template."""
LISTS = ("ordered", "bullets")


class TemplateError(PermanentError):
    """A template cannot be used; the message names the file and what to change."""


def read(path: Path) -> Template:
    """Raises TemplateError."""
    try:
        if path.stat().st_size > LARGEST:
            raise TemplateError(f"{path}: a template has at most {LARGEST:,} bytes")
        return parsed(path.read_text(encoding="utf-8-sig"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise TemplateError(f"{path} can't be read as a template: {error}") from None


def sample() -> str:
    """The template that ships."""
    return (files("handrail") / "sample" / "report.md").read_text(encoding="utf-8")


def parsed(text: str, name: str) -> Template:
    """Raises TemplateError."""
    lines = text.splitlines()
    heads = list(_heads(text))
    if not heads or [head.level for head in heads] != [1, *[2] * (len(heads) - 1)] or len(heads) == 1:
        raise TemplateError(f"{name}: begin with one title (# …), followed by a heading (## …) for each section")
    ends = [*(head.starts for head in heads[1:]), len(lines)]
    below = ["\n".join(lines[head.ends : end]).strip() for head, end in zip(heads, ends, strict=True)]
    title, *sections = heads
    seen: set[str] = set()
    for head in heads:
        if not head.text or head.text in seen:
            wrong = f"another section is called {head.text!r}" if head.text else "the heading has no words"
            raise TemplateError(f"{name}, line {head.starts + 1}: {wrong}. Rename it")
        seen.add(head.text)
    parts = [
        Part(heading=head.text, guidance=guidance, asks=asks(head.text, guidance))
        for head, guidance in zip(sections, below[1:], strict=True)
    ]
    return Template(title=title.text, note=below[0], parts=tuple(parts))


class _Head(NamedTuple):
    level: int
    text: str
    starts: int
    ends: int
    """Lines, counted from 0; the first behind it."""


def _heads(text: str) -> Iterator[_Head]:
    """Those of the first two levels; deeper ones belong to the guidance."""
    tokens = MarkdownIt("commonmark").parse(text)
    for at, token in enumerate(tokens):
        if token.type == "heading_open" and token.level == 0 and token.tag in ("h1", "h2") and token.map is not None:
            yield _Head(int(token.tag[1]), gist(tokens[at + 1].content), token.map[0], token.map[1])


def asks(heading: str, guidance: str) -> tuple[str, ...]:
    """The items of the guidance's lists, else its sentences, else the heading."""
    blocks = parse(guidance)
    items = _units([block for block in blocks if block.kind in LISTS])
    return items or _units([block for block in blocks if block.kind == "paragraph"]) or (heading,)


def _units(blocks: list[Block]) -> tuple[str, ...]:
    found = (gist(unit) for block in blocks for unit in block.units)
    return tuple(dict.fromkeys(filter(None, found)))
