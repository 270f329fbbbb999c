"""Dialects of Markdown as plain Markdown: notes, tabs and template tags as a reader of the site would see them.

Known are the notes of Docusaurus (`:::tip`), MkDocs (`!!! note`), GitBook (`{% hint %}`) and GitHub (`> [!NOTE]`), the
tabs of the first three, and the tags of Liquid and kramdown. Fenced code is left as it is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from handrail.knowledge.mdx import markdown_of, stretches
from handrail.text.markdown import CODE, run_in

MODULE = re.compile(r"import\s[^\n]{1,300}\sfrom\s[\"'][^\"'\n]{1,300}[\"'];?\s*$", re.M)
"""The first line of a file that is MDX whatever its name says."""
COLONS = re.compile(r":{3,} ?([A-Za-z][\w-]*)(?![^\s\[{])(.*)")
ADMONITION = re.compile(r"(?:!!!|\?\?\?\+?) ([\w-]+)(?: \"([^\"]*)\")?")
TAB = re.compile(r"===[+!]? \"([^\"]+)\"")
LIQUID = re.compile(r"\{%-? ?(hint|endhint|tab)\b([^%]*)%\}")
NAMED = re.compile(r"\b(?:style|title)=\"([^\"]+)\"")
ALERT = re.compile(r"> ?\[!([A-Za-z]+)\]")
ATTRIBUTES = re.compile(r"\{:[^{}]*\}")
TAG = re.compile(CODE + r"|(\{%-?[^%\n]{0,500}%\}|\{\{-?\s?(?:site|page|include|layout)\b[^{}\n]{0,300}\}\})")
COLON_NOTE, END_HINT = ":::", "endhint"
DEEPEST = 8
"""Notes and tabs within each other, beyond which marks are text."""
STEP = 4
"""Spaces by which MkDocs indents what belongs to a note or a tab."""


def plain_markdown(text: str, *, mdx: bool = False) -> str:
    """`text` without the marks of a site's generator. `mdx`: the file says that it is MDX."""
    if mdx or MODULE.match(text.lstrip()):
        text = markdown_of(text)
    lines = text.split("\n")
    code = [is_code for is_code, part in stretches(text) for _ in part.split("\n")]
    return "\n".join(_Reading(lines, code).shown())


@dataclass(frozen=True, slots=True)
class _Open:
    """A note or a tab that has begun."""

    ends: str
    """What ends it, as `_ends` tells it; empty where indentation does."""
    column: int
    """Where what belongs to it begins in a line."""
    note: bool


class _Reading:
    """One pass over the lines, with the notes and tabs that are open."""

    def __init__(self, lines: Sequence[str], code: Sequence[bool]) -> None:
        self._lines = [(line, "" if fenced else line.strip()) for line, fenced in zip(lines, code, strict=False)]
        self._left = Counter(_ends(mark) for _, mark in self._lines)
        """Ends from the line that is read on: a note that nothing ends is text."""
        self._open: list[_Open] = []

    @property
    def _quote(self) -> str:
        return "> " * sum(one.note for one in self._open)

    def shown(self) -> Iterator[str]:
        for line, mark in self._lines:
            spaced = line.expandtabs(STEP)
            indent = len(spaced) - len(spaced.lstrip())
            if line.strip() and any(one.column > indent for one in self._open):
                yield self._closed(next(at for at, one in enumerate(self._open) if one.column > indent))
            column = max((one.column for one in self._open), default=0)
            yield from self._read(spaced[column:] if column else line, mark, indent)

    def _read(self, line: str, mark: str, indent: int) -> Iterator[str]:
        ends = _ends(mark)
        self._left[ends] -= 1
        ended = [at for at, one in enumerate(self._open) if one.ends == ends != ""]
        if ended:
            yield self._closed(ended[-1])
        elif label := self._begun(mark, indent):
            yield from ("", self._quote + run_in(label), *([] if self._open[-1].note else [self._quote.rstrip()]))
        elif (found := LIQUID.fullmatch(mark)) and found[1] == "tab" and (named := NAMED.search(found[2])):
            yield from (self._quote.rstrip(), self._quote + run_in(named[1]), self._quote.rstrip())
        elif alert := ALERT.fullmatch(mark):
            yield f"{self._quote}> {run_in(alert[1].capitalize())}"
        elif not ATTRIBUTES.fullmatch(mark):
            bare = TAG.sub(lambda found: "" if found[1] else found[0], line) if mark else line
            yield self._quote + bare if bare else self._quote.rstrip()

    def _begun(self, mark: str, indent: int) -> str:
        """The title or kind of a note or tab that begins here and is open from now on; empty where none does."""
        if len(self._open) >= DEEPEST:
            return ""
        if found := COLONS.fullmatch(mark):
            one, label = _Open(COLON_NOTE, 0, note=True), _title(found[2]) or found[1].capitalize()
        elif (found := LIQUID.fullmatch(mark)) and found[1] == "hint":
            style = NAMED.search(found[2])
            one, label = _Open(END_HINT, 0, note=True), style[1].capitalize() if style else "Note"
        elif found := ADMONITION.fullmatch(mark):
            one, label = _Open("", indent + STEP, note=True), found[2] or found[1].capitalize()
        elif found := TAB.fullmatch(mark):
            one, label = _Open("", indent + STEP, note=False), found[1]
        else:
            return ""
        if one.ends and self._left[one.ends] <= sum(other.ends == one.ends for other in self._open):
            return ""
        self._open.append(one)
        return label

    def _closed(self, at: int) -> str:
        """An empty line behind what was open from `at` on."""
        del self._open[at:]
        return self._quote.rstrip()


def _ends(mark: str) -> str:
    """What a line ends: a note of colons, a hint, or nothing."""
    if len(mark) >= len(COLON_NOTE) and not mark.strip(":"):
        return COLON_NOTE
    found = LIQUID.fullmatch(mark)
    return END_HINT if found and found[1] == END_HINT else ""


def _title(said: str) -> str:
    """`[Mind the gap]{.wide}` and `Mind the gap` alike."""
    said = said.strip()
    if said.endswith("}"):
        said = said.rpartition("{")[0].rstrip()
    return said[1:-1] if said.startswith("[") and said.endswith("]") else said
