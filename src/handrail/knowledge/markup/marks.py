"""Lines by which generators mark notes and tabs, as tags: Docusaurus (`:::tip`), MkDocs (`!!! note`, `=== "Tab"`),
GitBook (`{% hint %}`, `{% tab %}`), Liquid blocks that a site made for itself, and GitHub (`> [!NOTE]`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from handrail.text.markdown import run_in

COLONS = re.compile(r":{3,} ?([A-Za-z][\w-]*)(?![^\s\[{])(.*)")
ADMONITION = re.compile(r"(?:!!!|\?\?\?\+?) ?([\w-]+)(?: [\w -]+)?(?: +\"(.*?)\")?")
TAB = re.compile(r"===[+!]? \"([^\"]+)\"")
LIQUID = re.compile(r"\{%-? *(end)?(\w[\w-]*)\b((?:[^%]|%(?!\}))*)%\}")
NAMED = re.compile(r"\b(?:style|title|type)=\"([^\"]+)\"")
ALERT = re.compile(r"> ?\[!([A-Za-z]+)\][+-]? ?(.*)")
ATTRIBUTES = re.compile(r"\{:[^{}]*\}")
COLON_NOTE = ":::"
NOTE, TABBED = "x-note", "x-tab"
"""Names of the tags that are written for a note and for a tab."""
KINDS = frozenset((
    "note", "tip", "info", "information", "warning", "caution", "danger", "important", "hint", "success", "error",
    "failure", "bug", "question", "example", "quote", "abstract", "summary", "attention", "callout", "admonition",
    "aside", "alert", "notice", "notification", "banner", "seealso", "todo", "details",
))  # fmt: skip
"""What generators call their notes."""
DROPPED = frozenset(("content-ref", "embed", "file", "openapi", "swagger", "include", "toc"))
"""Blocks of GitBook that show another page."""
DEEPEST = 8
"""Notes and tabs within each other, beyond which marks are text."""
STEP = 4
"""Spaces by which MkDocs indents what belongs to a note or a tab."""


def tagged(text: str) -> str:
    """Code must have been taken out."""
    return "\n".join(_Reading(text.split("\n")).shown())


def tag(name: str, label: str) -> str:
    return f'<{name} title="{escape(label)}">'


@dataclass(frozen=True, slots=True)
class _Open:
    """A note or a tab that has begun."""

    ends: str
    """What ends it, as `_ends` tells it; empty where indentation does."""
    column: int
    """Where what belongs to it begins in a line."""
    name: str
    """Of the tag; empty where nothing is written for it."""
    before: str = ""
    """What stands before the tag in its line."""


class _Reading:
    """One pass over the lines, with the notes and tabs that are open."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._left = Counter(_ends(line.strip()) for line in lines)
        """Ends from the line that is read on: a note that nothing ends is text."""
        self._open: list[_Open] = []
        self._dropping = ""
        """The mark that ends what is left out."""

    def shown(self) -> Iterator[str]:
        for line in self._lines:
            mark = line.strip()
            spaced = line.expandtabs(STEP)
            indent = len(spaced) - len(spaced.lstrip())
            if mark and any(one.column > indent for one in self._open):
                yield from self._closed(next(at for at, one in enumerate(self._open) if one.column > indent))
            column = max((one.column for one in self._open), default=0)
            yield from self._read(spaced[column:] if column else line, mark, indent)
        yield from self._closed(0)

    def _read(self, line: str, mark: str, indent: int) -> Iterator[str]:
        ends = _ends(mark)
        self._left[ends] -= 1
        if self._dropping:
            self._dropping = "" if ends == self._dropping else self._dropping
            return
        ended = [at for at, one in enumerate(self._open) if one.ends == ends != ""]
        if ended:
            yield from self._closed(ended[-1])
        elif one := self._begun(mark, indent, line[: len(line) - len(line.lstrip())]):
            yield from one
        elif alert := ALERT.fullmatch(mark):
            yield f"{line[: line.index('>')]}> {run_in(alert[2] or alert[1].capitalize())}"
            yield f"{line[: line.index('>')]}>"
        elif not ATTRIBUTES.fullmatch(mark):
            yield line

    def _begun(self, mark: str, indent: int, before: str) -> list[str]:
        """The tag of a note or tab that begins here and is open from now on; empty where none does."""
        if len(self._open) >= DEEPEST:
            return []
        if found := COLONS.fullmatch(mark):
            one = _Open(COLON_NOTE, 0, NOTE, before)
            label = _title(found[2]) or found[1].capitalize()
        elif found := LIQUID.fullmatch(mark):
            return [] if found[1] else self._block(found[2], found[3], before)
        elif found := ADMONITION.fullmatch(mark):
            one = _Open("", indent + STEP, NOTE, before)
            label = found[2] or found[1].capitalize()
        elif found := TAB.fullmatch(mark):
            one, label = _Open("", indent + STEP, TABBED, before), found[1]
        else:
            return []
        return self._opened(one, label)

    def _block(self, name: str, said: str, before: str) -> list[str]:
        """A block of Liquid or GitBook, where it is a note or a tab."""
        kind = name.lower()
        if kind in DROPPED and self._left[f"end{kind}"] > 0:
            self._dropping = f"end{kind}"
            return [""]
        named = NAMED.search(said)
        first = said.split()[0].strip("\"'").lower() if said.strip() else ""
        label = named[1] if named else first if first in KINDS else name
        if kind in ("tab", "tabitem") and (named or said.strip()):
            title = named[1] if named else said.strip().split(",")[0].strip("\"' ")
            return self._opened(_Open(f"end{kind}", 0, TABBED, before), title)
        if kind in KINDS or first in KINDS:
            return self._opened(_Open(f"end{kind}", 0, NOTE, before), label if named else label.capitalize())
        return []

    def _opened(self, one: _Open, label: str) -> list[str]:
        if one.ends and self._left[one.ends] <= sum(other.ends == one.ends for other in self._open):
            return []
        self._open.append(one)
        return ["", one.before + tag(one.name, label), ""]

    def _closed(self, at: int) -> Iterator[str]:
        """The end of what was open from `at` on."""
        ended = self._open[at:]
        del self._open[at:]
        for one in reversed(ended):
            yield from ("", f"{one.before}</{one.name}>", "")


def _ends(mark: str) -> str:
    """What a line ends: a note of colons, a block of Liquid, or nothing."""
    if len(mark) >= len(COLON_NOTE) and not mark.strip(":"):
        return COLON_NOTE
    found = LIQUID.fullmatch(mark) if mark.startswith("{%") else None
    return f"end{found[2].lower()}" if found and found[1] else ""


def _title(said: str) -> str:
    """`[Mind the gap]{.wide}` and `Mind the gap` alike."""
    said = said.strip()
    if said.endswith("}"):
        said = said.rpartition("{")[0].rstrip()
    return said[1:-1] if said.startswith("[") and said.endswith("]") else said
