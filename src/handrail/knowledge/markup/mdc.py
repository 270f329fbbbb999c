"""MDC, the Markdown of Nuxt Content: components between lines of colons, as tags.

Syntax: https://content.nuxt.com/docs/files/markdown#mdc-syntax
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

import yaml

from handrail.knowledge.markup.icons import called

OPENS = re.compile(r"([ \t]*)(:{2,})([A-Za-z][\w-]*)(?:\[([^\]\n]*)\])?(?:\{([^\n]*)\})?[ \t]*$")
CLOSES = re.compile(r"[ \t]*(:{2,})[ \t]*$")
SLOT = re.compile(r"[ \t]*#([a-z][\w-]*)(?:\{[^\n]*\})?[ \t]*$")
ATTRIBUTE = re.compile(r"([:@]?[\w-]+)=(\"[^\"]*\"|'[^']*'|[^\s\"'}]+)")
INLINE = re.compile(r"(?<![\w:\ue001]):([a-z][\w-]*)(?:\[([^\]\n]*)\](?:\{[^{}\n]*\})?|\{([^{}\n]*)\})")
SPAN = re.compile(r"(?<=[\ue001\])*])\{[\w.#:][^{}\n]*\}")
"""Attributes of what stands in front of them."""
ALONE = re.compile(r"[ \t]*:([a-z][\w-]*)(?:\{([^\n]*)\})?[ \t]*$")
NAMES_A_PAGE = ("content", "src", "file", "path", "name")
WORDS = ("label", "title", "text")
PAGES = frozenset(("partial", "include", "snippet"))
"""Components that show another page."""
DEEPEST = 12


@dataclass(frozen=True, slots=True)
class _Open:
    """A component that has begun."""

    size: int
    """Number of its colons."""
    column: int
    before: str
    """What stands in front of its tags."""
    name: str
    line: int
    """Of what is written, where its tag stands."""


class Mdc:
    def __init__(self, partial: Callable[[str], str | None]) -> None:
        """`partial` gives the Markdown of a page by the name that a component calls it by."""
        self._partial = partial

    def tagged(self, text: str) -> str:
        """Code must have been taken out."""
        lines = text.split("\n")
        written: list[str] = []
        opened: list[_Open] = []
        at = 0
        while at < len(lines):
            line = _outdented(lines[at], opened)
            closes, found = CLOSES.match(lines[at]), OPENS.match(lines[at])
            at += 1
            if closes:
                _close(written, opened, len(closes[1]), closes.start(1))
            elif found and len(opened) < DEEPEST:
                size, column = len(found[2]), len(found[1])
                if any((one.size, one.column) == (size, column) for one in opened):
                    _close(written, opened, size, column, ended=False)
                said, at = _fields(lines, at)
                name = _pascal(found[3])
                before = " " * (opened[0].column if opened else column)
                opened.append(_Open(size, column, before, name, len(written) + 1))
                written += ("", before + _tag(name, {**_attributes(found[5] or ""), **said}), "")
                written += [before + found[4]] if found[4] else []
            elif opened and SLOT.match(line):
                written.append("")
            elif alone := ALONE.match(line):
                written += ("", self._shown(alone[1], alone[2] or ""), "")
            else:
                written.append(SPAN.sub("", INLINE.sub(self._inline, line)))
        while opened:
            _close(written, opened, opened[0].size, opened[0].column, ended=False)
        return "\n".join(written)

    def _shown(self, name: str, said: str) -> str:
        """A component that surrounds nothing: the page that it shows, or the words among its fields."""
        fields = _attributes(said)
        if name in PAGES:
            place = next((fields[key] for key in NAMES_A_PAGE if fields.get(key)), "")
            return (self._partial(place) if place else None) or ""
        said = next((fields[key] for key in WORDS if fields.get(key)), "")
        return said or (called(fields.get("name") or fields.get("icon", "")) if name.endswith("icon") else "")

    def _inline(self, found: re.Match[str]) -> str:
        if found[2] is not None:
            return found[2]
        return self._shown(found[1], found[3] or "").strip()


def _outdented(line: str, opened: Sequence[_Open]) -> str:
    """A line as far in as the outermost component: what is further in would be taken for code."""
    if not opened:
        return line
    further = opened[-1].column - opened[0].column
    return line[min(further, len(line) - len(line.lstrip(" \t"))) :]


def _close(written: list[str], opened: list[_Open], size: int, column: int, *, ended: bool = True) -> None:
    """Ends the innermost component of so many colons, one that is as far in if there is one, and all in it.

    One that nothing ends is left out: nobody knows what belongs to it.
    """
    fits = [n for n, one in enumerate(opened) if one.size == size]
    depth = max([n for n in fits if opened[n].column == column] or fits or [len(opened)])
    for number in range(len(opened) - 1, depth - 1, -1):
        one = opened.pop()
        if ended or number > depth:
            written += ("", f"{one.before}</{one.name}>", "")
        else:
            written[one.line] = ""


def _fields(lines: Sequence[str], at: int) -> tuple[Mapping[str, str], int]:
    """Fields in YAML at the beginning of a component, and the line behind them."""
    if at >= len(lines) or lines[at].strip() != "---":
        return {}, at
    end = next((n for n in range(at + 1, min(len(lines), at + 100)) if lines[n].strip() == "---"), 0)
    try:
        said = yaml.safe_load("\n".join(lines[at + 1 : end])) if end else None
    except (yaml.YAMLError, RecursionError, ValueError):
        said = None
    if not isinstance(said, dict):
        return {}, end + 1 if end else at
    return {str(key): str(one) for key, one in said.items() if isinstance(one, str | int | float)}, end + 1


def _attributes(said: str) -> dict[str, str]:
    return {found[1]: found[2].strip("\"'") for found in ATTRIBUTE.finditer(said) if found[1][0] not in ":@"}


def _tag(name: str, said: Mapping[str, str]) -> str:
    return "<" + " ".join((name, *(f'{key}="{escape(value)}"' for key, value in said.items()))) + ">"


def _pascal(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.split("-"))
