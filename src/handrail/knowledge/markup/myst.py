"""MyST: the Markdown of Sphinx and Jupyter Book, with directives in fences and roles before code.

Syntax: https://myst-parser.readthedocs.io/en/latest/syntax/roles-and-directives.html
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from handrail.knowledge.markup.icons import called
from handrail.knowledge.markup.marks import KINDS, NOTE, TABBED, tag

FENCE = re.compile(r"([ \t]*)(`{3,}|~{3,}|:{3,})(?:\{([\w:+.-]+)\}[ \t]*)?(.*)$")
OPTION = re.compile(r"[ \t]*:[\w-]+:(?:[ \t].*)?$")
LABEL = re.compile(r"\(([^()\n]{1,200})\)=[ \t]*$")
ROLE = re.compile(
    r"\{([\w:.+-]{1,40})\}(`{1,2})(?!`)(.{1,1000}?)(?<!`)\2(?!`)"
    r"|(?<!`)(`{1,3})(?!`)(?:(?!\n[ \t]*\n).){1,1000}?(?<!`)\4(?!`)",
    re.S,
)
"""A role, or code in which none is looked for."""
AIMED = re.compile(r"(.*?)\s*<[^<>]*>\s*$", re.S)
SUBSTITUTION = re.compile(r"\{\{ ?([\w-]{1,60}) ?\}\}")
ROW, CELL = re.compile(r"[*-] - ?(.*)$"), re.compile(r"  - ?(.*)$")
PROGRAMS = frozenset(
    ("code", "code-block", "code-cell", "sourcecode", "parsed-literal", "literalinclude", "math", "mermaid")
)
DROPPED = frozenset((
    "toctree", "contents", "tableofcontents", "index", "image", "figure", "raw", "only", "bibliography", "include",
    "glue", "iframe", "video", "autosummary", "automodule", "autoclass", "autofunction", "currentmodule", "highlight",
))  # fmt: skip
"""What shows another page, or is made when the site is."""
DEEPEST = 20
"""Directives within each other, beyond which marks are text."""
CHANGES = {"versionadded": "New in version", "versionchanged": "Changed in version", "deprecated": "Deprecated since"}
NAMES = frozenset(("doc", "ref", "numref", "any", "download"))
"""Roles that name a page or a place; without words of their own, the end of the name stands for its title."""
WORDS = frozenset(("term", "abbr", "kbd", "sub", "sup", "subscript", "superscript", "emphasis", "rfc", "pep", "eq"))
ICONS = frozenset(("octicon", "fa", "fas", "far", "fab", "icon"))
BOLD = frozenset(("guilabel", "menuselection", "strong", "button"))


def plain_myst(text: str, substitutions: Mapping[str, Any], rst: Callable[[str], str]) -> str:
    """`text` with directives as plain Markdown and tags, and roles as the words they show.

    `rst` makes Markdown of a piece in reStructuredText.
    """
    named = {key: str(value) for key, value in substitutions.items() if isinstance(value, str | int | float)}
    return "\n".join(_Page(named, rst).lines(text.split("\n"), 0))


class _Page:
    def __init__(self, named: Mapping[str, str], rst: Callable[[str], str]) -> None:
        self._named = named
        self._rst = rst

    def lines(self, lines: Sequence[str], depth: int) -> Iterator[str]:
        """`depth` is the number of directives around them."""
        at = 0
        prose: list[str] = []
        while at < len(lines):
            fence = FENCE.match(lines[at])
            if fence is None or (fence[3] is None and fence[2][0] == ":"):
                prose.append(lines[at])
                at += 1
                continue
            yield from self._prose(prose)
            prose = []
            end = _end(lines, at, fence[2])
            if fence[3] is None or depth == DEEPEST:
                yield from lines[at : end + 1]
            else:
                made = self._directive(fence[3].lower(), fence[4].strip(), lines[at + 1 : end], depth)
                yield from (fence[1] + line if line else line for line in made)
            at = end + 1
        yield from self._prose(prose)

    def _directive(self, name: str, argument: str, inner: Sequence[str], depth: int) -> list[str]:
        body = _without_options(inner)
        if name in PROGRAMS:
            longest = max((len(run) for line in body for run in re.findall(r"`+", line)), default=0)
            fence = "`" * max(3, longest + 1)
            return ["", f"{fence}{argument}", *body, fence, ""] if body else []
        if name in DROPPED:
            return []
        if name == "eval-rst":
            return ["", *self._rst("\n".join(body)).split("\n"), ""]
        if name == "list-table":
            return ["", *([f"**{argument}**", ""] if argument else []), *self._table(body, depth), ""]
        shown = list(self.lines(body, depth + 1))
        if name in CHANGES:
            return ["", tag(NOTE, f"{CHANGES[name]} {argument}".strip()), "", *shown, "", f"</{NOTE}>", ""]
        if name in KINDS and name != "details":
            label = argument if name == "admonition" else name.capitalize()
            said = [] if name == "admonition" or not argument else [argument, ""]
            return ["", tag(NOTE, label), "", *said, *shown, "", f"</{NOTE}>", ""]
        if name in ("tab-item", "tab"):
            return ["", tag(TABBED, argument), "", *shown, "", f"</{TABBED}>", ""]
        return ["", *([f"**{argument}**", ""] if argument.strip("0123456789 ") else []), *shown, ""]

    def _table(self, body: Sequence[str], depth: int) -> list[str]:
        """A list of lists as a table; its first row is the header."""
        rows: list[list[list[str]]] = []
        for line in body:
            if row := ROW.match(line):
                rows.append([[row[1]]])
            elif rows and (cell := CELL.match(line)):
                rows[-1].append([cell[1]])
            elif rows and line.strip():
                rows[-1][-1].append(line.strip())
        if not rows:
            return []
        width = max(map(len, rows))
        shown = [[" ".join(self.lines(cell, depth + 1)).replace("|", "\\|") for cell in row] for row in rows]
        lines = ["| " + " | ".join(row + [""] * (width - len(row))) + " |" for row in shown]
        return [lines[0], "|" + " --- |" * width, *lines[1:]]

    def _prose(self, lines: Sequence[str]) -> Iterator[str]:
        """Lines outside of fences; a role may run over the end of one."""
        kept = [line for line in lines if not line.startswith(("% ", "+++"))]
        text = "\n".join(LABEL.sub(_anchor, line) if line.startswith("(") else line for line in kept)
        text = SUBSTITUTION.sub(lambda found: self._named.get(found[1], found[0]), text)
        if kept:
            yield from ROLE.sub(_role, text).split("\n")


def _end(lines: Sequence[str], at: int, mark: str) -> int:
    """The line that ends a fence; the last one where none does."""
    for index in range(at + 1, len(lines)):
        said = lines[index].strip()
        if said.startswith(mark) and not said.strip(mark[0]):
            return index
    return len(lines)


def _without_options(inner: Sequence[str]) -> list[str]:
    lines = list(inner)
    if lines and lines[0].strip() == "---":
        ends = next((n for n, line in enumerate(lines[1:], 1) if line.strip() == "---"), 0)
        lines = lines[ends + 1 :]
    start = next((n for n, line in enumerate(lines) if not OPTION.match(line)), len(lines))
    lines = lines[start:]
    return lines[1:] if lines and not lines[0].strip() else lines


def _anchor(found: re.Match[str]) -> str:
    """As docutils makes an id of a label."""
    return f'<a id="{re.sub(r"[^a-z0-9]+", "-", found[1].lower()).strip("-")}"></a>\n'


def _role(found: re.Match[str]) -> str:
    if found[1] is None:
        return found[0]
    name, said = found[1].lower(), found[3].strip()
    aimed = AIMED.match(said)
    words = " ".join((aimed[1] if aimed and aimed[1] else said).split()).lstrip("~!")
    if name in NAMES:
        end = words if aimed else re.split(r"[/:#]", words.rstrip("/"))[-1].removesuffix(".md").replace("-", " ")
        return end.replace("_", " ") if not aimed else end
    if name in BOLD:
        return f"**{words.replace('-->', '>')}**"
    if name in WORDS:
        return re.sub(r"\s*\([^()]*\)$", "", words) if name == "abbr" else words
    if name in ICONS or name.startswith("material-"):
        return called(said.split(";")[0])
    if name == "math":
        return f"${words}$"
    return f"`{words}`"
