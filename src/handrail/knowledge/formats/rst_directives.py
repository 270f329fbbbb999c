"""What docutils is told of Sphinx: its directives and roles, by what a reader sees of them.

docutils keeps directives in tables of its process. Those here are added once; a name that nobody knows is added when a
page uses it, so that what stands in such a directive is read all the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import Directive, directives, roles
from docutils.parsers.rst.states import Inliner

Read = Callable[[str], str | None]
_READ: ContextVar[Read] = ContextVar("read", default=lambda name: None)
_LEFT: ContextVar[list[int]] = ContextVar("left")
"""Files that the page may still include."""
USED = re.compile(r"^[ \t]*(?:[-*+#.\d|]+[ \t]+)*\.\.[ \t]+(?:\|[^|\n]+\|[ \t]+)?([\w+.:-]+?)::(?:[ \t\n]|$)", re.M)
ROLE = re.compile(r"(?<![\w:`]):([A-Za-z][\w+.:-]*):`")
MOST_INCLUDES = 200
NOTES = ("seealso", "todo", "sidebar", "topic-box", "important-note")
DROPPED = (
    "toctree", "contents", "sectnum", "highlight", "default-domain", "currentmodule", "module", "py:module",
    "py:currentmodule", "index", "raw", "graphviz", "mermaid", "video", "youtube", "nbgallery", "tags",
    "bibliography", "rst-class", "class", "cssclass", "role", "default-role", "title", "header", "footer",
)  # fmt: skip
CODE = (
    "code-block", "sourcecode", "code", "prompt", "highlight-block", "parsed-literal", "ipython", "doctest",
    "testcode",
)  # fmt: skip
TABS = ("tab", "group-tab", "tab-item", "md-tab-item")
CODE_TABS = ("code-tab",)
TITLED = ("dropdown", "grid-item-card", "card", "details", "collapse", "topic", "rubric-box", "toggle")
CHANGES = {
    "versionadded": "Added in {}", "versionchanged": "Changed in {}", "deprecated": "Deprecated since {}",
    "versionremoved": "Removed in {}",
}  # fmt: skip


class Known(Directive):
    """A directive that takes whatever it is given. Its options are not looked into."""

    optional_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec: Any = None

    def run(self) -> Sequence[nodes.Node]:
        return self.inner()

    def inner(self) -> list[nodes.Node]:
        box = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, box)
        return list(box.children)

    def words(self, text: str) -> list[nodes.Node]:
        found, _ = self.state.inline_text(text, self.lineno)
        return list(found)


class AnyOptions(dict[str, Callable[[str], Any]]):
    """docutils asks for each option how to read it: all are texts."""

    def __missing__(self, key: str) -> Callable[[str], Any]:
        return lambda said: said

    def __bool__(self) -> bool:
        return True


Known.option_spec = AnyOptions()


class Unknown(Known):
    """Its argument and what stands in it: most show both."""

    def run(self) -> Sequence[nodes.Node]:
        inner = self.inner()
        said = self.arguments[0].strip() if self.arguments else ""
        if said and not inner:
            return []
        return inner


class Dropped(Known):
    def run(self) -> Sequence[nodes.Node]:
        return []


class Note(Known):
    def run(self) -> Sequence[nodes.Node]:
        note = nodes.admonition(kind="See also" if self.name == "seealso" else self.name.capitalize())
        if self.arguments:
            note += nodes.paragraph("", "", *self.words(self.arguments[0]))
        note += self.inner()
        return [note] if note.children else []


class Tab(Known):
    def run(self) -> Sequence[nodes.Node]:
        tab = nodes.container(tab=True)
        tab += nodes.inline("", "", *self.words(" ".join((self.arguments or [""])[0].split())))
        tab += self.inner()
        return [tab]


class CodeTab(Known):
    def run(self) -> Sequence[nodes.Node]:
        language, _, label = (self.arguments or [""])[0].partition(" ")
        tab = nodes.container(tab=True)
        tab += nodes.inline("", "", nodes.Text(label.strip() or language))
        text = "\n".join(self.content)
        tab += nodes.literal_block(text, text, language=language)
        return [tab]


class Code(Known):
    def run(self) -> Sequence[nodes.Node]:
        text = "\n".join(self.content)
        caption = self.options.get("caption")
        block = nodes.literal_block(text, text, language=(self.arguments or [""])[0].split(" ")[0])
        return [*([nodes.paragraph("", "", *self.words(caption))] if caption else []), block] if text.strip() else []


class Titled(Known):
    def run(self) -> Sequence[nodes.Node]:
        inner = self.inner()
        said = self.arguments[0].strip() if self.arguments else ""
        head = [nodes.paragraph("", "", nodes.strong("", "", *self.words(said)))] if said else []
        return [*head, *inner]


class Described(Known):
    """`.. http:get:: /api/`, `.. envvar:: NAME`: what is described, and its description."""

    def run(self) -> Sequence[nodes.Node]:
        method = self.name.partition(":")[2].upper() + " " if self.name.startswith("http:") else ""
        found: list[nodes.Node] = []
        for line in (self.arguments or [""])[0].split("\n"):
            if line.strip():
                said = method + line.strip()
                found.append(nodes.paragraph("", "", nodes.strong("", "", nodes.literal(said, said))))
        return [*found, *self.inner()]


class Change(Known):
    def run(self) -> Sequence[nodes.Node]:
        version, _, said = (self.arguments or [""])[0].partition("\n")
        version, _, more = version.partition(" ")
        text = CHANGES[self.name].format(version) + (f": {more} {said}" if more or said else ".")
        return [nodes.paragraph("", "", *self.words(" ".join(text.split()))), *self.inner()]


class Include(Known):
    """A file of the same site, parsed where it is included; a part of it where marks name one."""

    literal: ClassVar[bool] = False

    def run(self) -> Sequence[nodes.Node]:
        name = self.arguments[0].strip() if self.arguments else ""
        text = _READ.get()(name)
        if text is None or _LEFT.get()[0] <= 0:
            return []
        if "start-after" in self.options:
            text = text.partition(self.options["start-after"] or "")[2]
        if "end-before" in self.options:
            text = text.partition(self.options["end-before"] or "\0")[0]
        lines = text.split("\n")
        if "lines" in self.options and self.literal:
            lines = [line for part in self.options["lines"].split(",") for line in _part(lines, part)]
        if self.literal or "literal" in self.options or "code" in self.options:
            text = "\n".join(lines).strip("\n")
            return [nodes.literal_block(text, text, language=self.options.get("language", ""))]
        if name.endswith((".md", ".html")):
            return []
        _register(text)
        _LEFT.get()[0] -= 1
        # As docutils does it: sections of the file belong to the section that includes it.
        self.state_machine.insert_input([line.expandtabs() for line in lines], name)
        return []


class LiteralInclude(Include):
    literal = True


class Glossary(Known):
    """A list of definitions, in which several terms may share one."""


class Only(Known):
    def run(self) -> Sequence[nodes.Node]:
        said = (self.arguments or [""])[0]
        return self.inner() if "html" in said or not said else []


def _part(lines: Sequence[str], said: str) -> Sequence[str]:
    first, dash, last = said.strip().partition("-")
    start = int(first) if first.isdecimal() else 1
    end = int(last) if last.isdecimal() else (len(lines) if dash else start)
    return lines[start - 1 : end]


def _role(
    name: str, rawtext: str, text: str, lineno: int, inliner: Inliner, options: Any = None, content: Any = None
) -> tuple[list[nodes.Node], list[nodes.Node]]:
    """`:ref:` and `:doc:` wait for the titles of other pages; code stays code; of all others the words are seen."""
    said = text.replace("\x00", "")
    titled = re.fullmatch(r"(.*?)\s*<([^<>]*)>", said, re.S)
    words, target = (titled[1], titled[2]) if titled else ("", said)
    kind = name.rpartition(":")[2].lower()
    if kind in ("ref", "doc", "numref", "any"):
        return [nodes.inline(said, words, wanted="" if words else target.strip(), doc=kind == "doc")], []
    if kind in ("guilabel", "menuselection", "btn"):
        label = " ".join((words or said).replace("-->", ">").replace("&", "").split())
        return [nodes.strong(said, label)], []
    if kind == "abbr":
        return [nodes.Text(re.sub(r"\s*\(([^()]*)\)$", r" (\1)", said))], []
    if kind in CODE_ROLES:
        shown = (
            words or target.lstrip("~!").rpartition(".")[2] if target.startswith("~") else words or target.lstrip("!")
        )
        return [nodes.literal(said, shown)], []
    return [nodes.Text(words or said)], []


CODE_ROLES = frozenset(
    ("func", "class", "meth", "mod", "attr", "data", "exc", "obj", "const", "file", "program", "option", "envvar",
     "command", "samp", "setting", "py", "confval", "type", "var", "code", "get", "post", "makevar", "regexp", "token")
)  # fmt: skip


def _fill() -> None:
    table: list[tuple[Sequence[str], type[Directive]]] = [
        (NOTES, Note), (DROPPED, Dropped), (CODE, Code), (TABS, Tab), (CODE_TABS, CodeTab), (TITLED, Titled),
        (tuple(CHANGES), Change), (("include",), Include), (("literalinclude",), LiteralInclude), (("only",), Only),
        (("glossary",), Glossary),
    ]  # fmt: skip
    for names, made in table:
        for name in names:
            directives.register_directive(name, made)
    for name in ("envvar", "option", "confval", "describe", "object", "cmdoption", "setting"):
        directives.register_directive(name, Described)
    for name in ("ref", "doc", "guilabel", "menuselection", "abbr", "term", "download", "file", "code"):
        roles.register_local_role(name, _role)


def _register(text: str) -> None:
    """Directives and roles of a text that docutils doesn't know."""
    for name in set(USED.findall(text)):
        low = name.lower()
        if low not in directives._directives and low not in directives._directive_registry:
            described = ":" in low or low.startswith(("auto", "http"))
            directives.register_directive(low, Described if described else Unknown)
    for name in set(ROLE.findall(text)):
        low = name.lower()
        if low not in roles._roles and low not in roles._role_registry:
            roles.register_local_role(low, _role)


_fill()


@contextmanager
def known(text: str, read: Read) -> Iterator[str]:
    """While a text is parsed whose includes `read` gives; the text with tabs as spaces."""
    _register(text)
    tokens = _READ.set(read), _LEFT.set([MOST_INCLUDES])
    try:
        yield text
    finally:
        _READ.reset(tokens[0])
        _LEFT.reset(tokens[1])
