"""What docutils is told of Sphinx: its directives and roles, by what a reader sees of them.

docutils keeps directives in tables of its process. Those here are added once; a name that nobody knows is added when a
page uses it, so that what stands in such a directive is read all the same.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import Directive, DirectiveError, directives, roles
from docutils.parsers.rst.states import Body, Inliner
from docutils.statemachine import StringList

from handrail.knowledge.grid import number
from handrail.text.windows import windows

Read = Callable[[str], str | None]
Inline = tuple[list[nodes.Node], list[nodes.Node]]
"""What stands in a paragraph, and what docutils says of it."""
_READ: ContextVar[Read] = ContextVar("read", default=lambda name: None)
USED = re.compile(r"^[ \t]*(?:[-*+#.\d|]+[ \t]+)*\.\.[ \t]+(?:\|[^|\n]+\|[ \t]+)?([\w+.:-]+?)::(?:[ \t\n]|$)", re.M)
ROLE = re.compile(r"(?<![\w:`]):([A-Za-z][\w+.:-]*):`")
MARKS, WINDOW, MOST_LOOKING = "`*|_[", 500, 1_000_000
"""Of a paragraph: what may begin a mark, characters that are looked through at once if there are very many of them, and
characters that are looked through in all before that.
"""
MOST_COLONS = 200
"""Of a paragraph before it is read so: docutils calls itself for each address."""
MOST_NUMBER = 999_999_999
"""Of a step of a list."""
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
OWN = (
    "attention", "caution", "danger", "error", "important", "note", "tip", "hint", "warning", "admonition",
    "line-block", "math", "rubric", "epigraph", "highlights", "pull-quote", "compound", "container", "table",
    "csv-table", "list-table", "image", "figure",
)  # fmt: skip
"""Directives of docutils that are read as it reads them."""
CHANGES = {
    "versionadded": "Added in {}", "versionchanged": "Changed in {}", "deprecated": "Deprecated since {}",
    "versionremoved": "Removed in {}",
}  # fmt: skip


class Windowed(Inliner):
    """Paragraphs of very many marks are read in windows: docutils looks through all of them for the end of each."""

    def parse(self, text: str, lineno: int, memo: Any, parent: nodes.Node) -> Inline:
        def read(stretch: str) -> Inline:
            found: Inline = super(Windowed, self).parse(stretch, lineno, memo, parent)
            return found

        marks = sum(map(text.count, MARKS))
        if marks * len(text) <= MOST_LOOKING and text.count(":") <= MOST_COLONS:
            return read(text)
        parts = [read(one) for one in windows(text, WINDOW)]
        # Each in a node of its own: what replaces a node later looks for it among all beside it.
        return [nodes.inline("", "", *found) for found, _ in parts], [one for _, told in parts for one in told]


class Known(Directive):
    """A directive that takes whatever it is given. Its options are not looked into."""

    optional_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec: Any = None

    def run(self) -> Sequence[nodes.Node]:
        return self.inner()

    @property
    def argument(self) -> str:
        """What stands in the directive's own line."""
        own = self.block_text.partition("\n")[0].partition("::")[2].strip()
        return (self.arguments or [""])[0].partition("\n")[0].strip() if own else ""

    @property
    def lines(self) -> StringList:
        """What stands in it, its first lines included, which docutils takes for the argument if none is empty."""
        said = (self.arguments or [""])[0].strip("\n").split("\n")[bool(self.argument) :]
        above = [*said, ""] if "".join(said).strip() else []
        return StringList(above, self.block_text) + self.content

    def inner(self) -> list[nodes.Node]:
        box = nodes.container()
        self.state.nested_parse(self.lines, self.content_offset, box)
        return list(box.children)

    def words(self, text: str) -> list[nodes.Node]:
        found, _ = self.state.inline_text(text, self.lineno)
        return list(found)


class AnyOptions(dict[str, Callable[[str], Any]]):
    """docutils asks for each option how to read it: those that nobody knows are texts."""

    def __missing__(self, key: str) -> Callable[[str], Any]:
        return lambda said: said

    def __bool__(self) -> bool:
        return True


Known.option_spec = AnyOptions()


class Titled(Known):
    """Its argument above what stands in it: most show both, and so do those that nobody knows."""

    def run(self) -> Sequence[nodes.Node]:
        said = self.argument
        head = [nodes.paragraph("", "", nodes.strong("", "", *self.words(said)))] if said else []
        return [*head, *self.inner()]


def _lenient(made: type[Directive]) -> type[Directive]:
    """A directive of docutils that takes any option, and what stands in it where docutils refuses it."""

    class Lenient(made, Titled):
        option_spec = AnyOptions({name: _or_empty(read) for name, read in (made.option_spec or {}).items() if read})
        optional_arguments = made.optional_arguments
        final_argument_whitespace = made.final_argument_whitespace
        has_content = True

        def run(self) -> Sequence[nodes.Node]:
            try:
                found = list(made.run(self))
            except (DirectiveError, ValueError, LookupError, TypeError, AttributeError, AssertionError):
                found = []
            if all(isinstance(one, nodes.system_message) for one in found):
                return Titled.run(self)
            return found if made.has_content else [*found, *self.inner()]

    return Lenient


def _or_empty(read: Callable[[str], Any]) -> Callable[[str], Any]:
    def lenient(said: str) -> Any:
        try:
            return read(said)
        except (ValueError, TypeError):
            return ""

    return lenient


class Dropped(Known):
    def run(self) -> Sequence[nodes.Node]:
        return []


class Note(Known):
    optional_arguments = 0

    def run(self) -> Sequence[nodes.Node]:
        note = nodes.admonition(kind="See also" if self.name == "seealso" else self.name.capitalize())
        note += self.inner()
        return [note] if note.children else []


class Tab(Known):
    def run(self) -> Sequence[nodes.Node]:
        tab = nodes.container(tab=True)
        tab += nodes.inline("", "", *self.words(" ".join(self.argument.split())))
        tab += self.inner()
        return [tab]


class CodeTab(Known):
    def run(self) -> Sequence[nodes.Node]:
        language, _, label = self.argument.partition(" ")
        tab = nodes.container(tab=True)
        tab += nodes.inline("", "", nodes.Text(label.strip() or language))
        text = "\n".join(self.lines)
        tab += nodes.literal_block(text, text, language=language)
        return [tab]


class Code(Known):
    def run(self) -> Sequence[nodes.Node]:
        text = "\n".join(self.lines)
        caption = self.options.get("caption")
        block = nodes.literal_block(text, text, language=self.argument.partition(" ")[0])
        return [*([nodes.paragraph("", "", *self.words(caption))] if caption else []), block] if text.strip() else []


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
        name = self.argument
        text = _READ.get()(name)
        if text is None:
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
        # As docutils does it: sections of the file belong to the section that includes it.
        self.state_machine.insert_input([line.expandtabs() for line in lines], name)
        return []


class LiteralInclude(Include):
    literal = True


class Glossary(Known):
    """A list of definitions, in which several terms may share one."""

    optional_arguments = 0

    def run(self) -> Sequence[nodes.Node]:
        groups: list[tuple[list[str], list[str]]] = []
        for line in self.content:
            if not line.strip() or line[:1].isspace():
                if groups:
                    groups[-1][1].append(line)
            elif not line.startswith(".. "):
                if not groups or "".join(groups[-1][1]).strip():
                    groups.append(([], []))
                groups[-1][0].append(line)
        items = [self._defined(terms, said) for terms, said in groups]
        return [nodes.definition_list("", *items)] if items else []

    def _defined(self, terms: Sequence[str], said: Sequence[str]) -> nodes.definition_list_item:
        item = nodes.definition_list_item()
        # Behind a colon stands the key by which Sphinx sorts a term.
        item += [nodes.term("", "", *self.words(term.partition(" : ")[0])) for term in terms]
        meaning = nodes.definition()
        lines = StringList(textwrap.dedent("\n".join(said)).strip("\n").split("\n"), self.block_text)
        self.state.nested_parse(lines, self.content_offset, meaning)
        item += meaning
        return item


class Only(Known):
    def run(self) -> Sequence[nodes.Node]:
        said = self.argument
        return self.inner() if "html" in said or not said else []


def _part(lines: Sequence[str], said: str) -> Sequence[str]:
    first, dash, last = said.strip().partition("-")
    start = number(first, len(lines) + 1)
    end = number(last, len(lines)) if last.strip() else (len(lines) if dash else start)
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
    for name, value in vars(Inliner).items():
        if isinstance(value, str) and not name.startswith("__"):
            setattr(Windowed, name, value)  # docutils fills its patterns in from the very class, and from no base of it
    for name in OWN:
        module, own = directives._directive_registry[name]
        made = getattr(import_module(f"docutils.parsers.rst.directives.{module}"), own)
        directives.register_directive(name, _lenient(made))
    Body.enum.converters["arabic"] = lambda said: number(said, MOST_NUMBER, 0)
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
            directives.register_directive(low, Described if described else Titled)
    for name in set(ROLE.findall(text)):
        low = name.lower()
        if low not in roles._roles and low not in roles._role_registry:
            roles.register_local_role(low, _role)


_fill()


@contextmanager
def known(text: str, read: Read) -> Iterator[str]:
    """While a text is parsed whose includes `read` gives; the text with tabs as spaces."""
    _register(text)
    token = _READ.set(read)
    try:
        yield text
    finally:
        _READ.reset(token)
