"""MDX without its program: imports, exports, comments and component tags go, the prose inside components stays."""

from __future__ import annotations

import re
from collections.abc import Iterator

from handrail.text.markdown import run_in

FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})")
PROGRAM = re.compile(r"^(?:import|export)[ \t{]")
COMMENT = re.compile(r"\{/\*.*?(?:\*/\}|\Z)", re.S)
LABEL = re.compile(r"\b(?:label|title)=\"([^\"\n]+)\"")
COMPONENT = re.compile(r"^[ \t]*</?[A-Z][\w.]*(?:\s[^<>]{0,1000})?/?>[ \t]*$", re.M)


def markdown_of(text: str) -> str:
    """Code blocks are left as they are."""
    return "\n".join(part if code else _prose(part) for code, part in stretches(text))


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
    yield False, "\n".join(lines[start:])


def _longest_after(lines: list[str]) -> list[dict[str, int]]:
    """For each line, how long the longest mark behind it is that ends a code block, by its character.

    Without it, each opening fence that nothing ends would have all lines behind it looked through.
    """
    longest: list[dict[str, int]] = []
    behind = {"`": 0, "~": 0}
    for line in reversed(lines):
        longest.append(behind)
        text = line.strip()
        mark = text[:1]
        if mark in behind:
            length = len(text) - len(text.lstrip(mark))
            if length > behind[mark]:
                behind = {**behind, mark: length}
    return longest[::-1]


def _end_of(lines: list[str], opening: int, marker: str) -> int | None:
    closing = (n for n in range(opening + 1, len(lines)) if lines[n].strip().startswith(marker))
    return next(closing, None)


def _prose(text: str) -> str:
    kept: list[str] = []
    program = False
    for line in text.split("\n"):
        after_blank = not kept or not kept[-1].strip()
        program = bool(line.strip()) and (program or (after_blank and bool(PROGRAM.match(line))))
        if not program:
            kept.append(line)
    without = COMMENT.sub(lambda found: "" if found[0].endswith("*/}") else found[0], "\n".join(kept))
    return COMPONENT.sub(_label, without)


def _label(component: re.Match[str]) -> str:
    """What is left of a component's tag: the name that the site shows over a tab."""
    named = LABEL.search(component[0]) if component[0].lstrip().startswith("<TabItem") else None
    return f"\n{run_in(named[1])}\n" if named else ""
