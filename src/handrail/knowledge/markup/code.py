"""Code that no other step of reading may look into: taken out of a text, and put back."""

from __future__ import annotations

import re
from collections.abc import Iterator

from markdown_it import MarkdownIt

FENCE = re.compile(r"^[ \t>]*(?:(?:[-*+]|\d+[.)])[ \t]+)?(`{3,}|~{3,})")
TICKS = re.compile(r"(?<!\\)`+|\n[ \t>]*(?=\n)")
"""Runs of backticks, and what ends a paragraph."""
PARSER = MarkdownIt("commonmark", {"html": True}).enable("table").disable("inline")
INDENTED = re.compile(r"^(?: {4}|\t)[^\n]*[<{&]", re.M)
MARK = re.compile("\ue000(\\d+)\ue001")


class Code:
    """What was taken out of one text; a mark stands for each piece."""

    def __init__(self) -> None:
        self._held: list[str] = []

    def taken(self, text: str) -> str:
        """Fenced blocks and spans. Private characters that the text holds itself are left out."""
        text = text.replace("\ue000", "").replace("\ue001", "")
        parts = (self._block(part) if code else self._spans(part) for code, part in stretches(text))
        return "\n".join(parts)

    def indented(self, text: str) -> str:
        """Blocks that are code because they are indented, where they hold what may be taken for a mark."""
        lines = text.split("\n")
        for token in reversed(PARSER.parse(text) if INDENTED.search(text) else []):
            if token.type == "code_block" and token.map and any(mark in token.content for mark in "<{&"):
                first, end = token.map
                block = lines[first:end]
                column = min(len(line) - len(line.lstrip()) for line in block if line.strip())
                lines[first:end] = [" " * column + self.hold("\n".join(line[column:] for line in block))]
        return "\n".join(lines)

    def hold(self, code: str) -> str:
        self._held.append(code)
        return f"\ue000{len(self._held) - 1}\ue001"

    def _spans(self, text: str) -> str:
        """A run of backticks begins code where another one as long ends it in the same paragraph."""
        marks = list(TICKS.finditer(text))
        nexts: list[int | None] = []
        later: dict[int, int] = {}
        for number in range(len(marks) - 1, -1, -1):
            if marks[number][0][0] == "\n":
                later = {}
                nexts.append(None)
                continue
            length = len(marks[number][0])
            nexts.append(later.get(length))
            later[length] = number
        nexts.reverse()
        parts: list[str] = []
        at = number = 0
        while number < len(marks):
            end = nexts[number]
            if end is not None:
                parts += (text[at : marks[number].start()], self.hold(text[marks[number].start() : marks[end].end()]))
                at, number = marks[end].end(), end
            number += 1
        return "".join((*parts, text[at:]))

    def _block(self, part: str) -> str:
        """The mark stands where the fence does; inner lines are kept from the column of the fence on."""
        first, *rest = part.split("\n")
        fence = FENCE.match(first)
        column = fence.start(1) if fence else 0
        return first[:column] + self.hold("\n".join([first[column:], *(_from(line, column) for line in rest)]))

    def back(self, text: str) -> str:
        """With every piece where its mark stands now: lines behind the first are as far in as the first."""
        lines = (self._line(line) if "\ue000" in line else line for line in text.split("\n"))
        return "\n".join(lines)

    def _line(self, line: str) -> str:
        for _ in range(3):  # code that was taken out with code inside it
            found = MARK.search(line)
            if found is None:
                break
            if line.count("\ue000") > 1 or "\n" not in self._held[int(found[1])]:
                line = MARK.sub(lambda one: self._held[int(one[1])], line)
                continue
            before = line[: found.start()]
            further = "".join(c if c in ">\t" else " " for c in before)
            first, *rest = self._held[int(found[1])].split("\n")
            inner = [f"{further}{one}" if one.strip() else further.rstrip() for one in rest]
            line = "\n".join([before + first, *inner]) + line[found.end() :]
        return line


def _from(line: str, column: int) -> str:
    return line[min(column, len(line) - len(line.lstrip(" \t>"))) :]


def stretches(text: str) -> Iterator[tuple[bool, str]]:
    """Stretches of lines, and whether each is a fenced code block; one that never ends is prose."""
    lines = text.split("\n")
    longest = _longest_after(lines)
    start = at = 0
    while at < len(lines):
        fence = FENCE.match(lines[at])
        ended = fence is not None and len(fence[1]) <= longest[at][fence[1][0]]
        end = _end_of(lines, at, fence[1]) if fence and ended else None
        if end is None:
            at += 1
            continue
        if at > start:
            yield False, "\n".join(lines[start:at])
        yield True, "\n".join(lines[at : end + 1])
        start = at = end + 1
    if start < len(lines):
        yield False, "\n".join(lines[start:])


def _longest_after(lines: list[str]) -> list[dict[str, int]]:
    """For each line, how long the longest mark behind it is that ends a code block, by its character.

    Without it, each opening fence that nothing ends would have all lines behind it looked through.
    """
    longest: list[dict[str, int]] = []
    behind = {"`": 0, "~": 0}
    for line in reversed(lines):
        longest.append(behind)
        text = line.strip(" \t>")
        mark = text[:1]
        if mark in behind:
            length = len(text) - len(text.lstrip(mark))
            if length > behind[mark]:
                behind = {**behind, mark: length}
    return longest[::-1]


def _end_of(lines: list[str], opening: int, marker: str) -> int | None:
    closing = (n for n in range(opening + 1, len(lines)) if lines[n].strip(" \t>").startswith(marker))
    return next(closing, None)
