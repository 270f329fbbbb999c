"""Dialects of Markdown as plain Markdown: what a reader of the site sees, without the marks of its generator."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from handrail.knowledge.front_matter import split
from handrail.knowledge.includes import Room
from handrail.knowledge.markup.code import Code
from handrail.knowledge.markup.elements import Element, tree
from handrail.knowledge.markup.figures import without_figures
from handrail.knowledge.markup.groups import grouped
from handrail.knowledge.markup.icons import with_icons
from handrail.knowledge.markup.marks import tagged
from handrail.knowledge.markup.mdc import Mdc
from handrail.knowledge.markup.myst import plain_myst
from handrail.knowledge.markup.references import resolved
from handrail.knowledge.markup.shortcodes import Shortcodes
from handrail.knowledge.markup.writer import Writer

MODULE = re.compile(r"import\s[^\n]{1,300}\sfrom\s[\"'][^\"'\n]{1,300}[\"'];?\s*$", re.M)
"""The first line of a file that is MDX whatever its name says."""
PROGRAM = re.compile(r"^(?:import|export)[ \t{]")
IMPORT = re.compile(r"import\s+(\w+)\s+from\s+[\"']([^\"'\n]+)[\"']")
COMMENT = re.compile(r"\{/\*.*?(?:\*/\}|\Z)", re.S)
TEMPLATE = re.compile(r"\{%-?[^%\n]{0,500}%\}|\{\{-?\s?(?:site|page|include|layout)\b[^{}\n]{0,300}\}\}")
SPAN_ATTRIBUTES = re.compile(
    r"(?<=[)\]*_>\ue001])\{:?[ ]?[.#:\w][^{}\n]{0,300}\}(?![ \t]*$)|(?<=[)\ue001])\{:[^{}\n]{0,300}\}", re.M
)
LINE_ATTRIBUTES = re.compile(r"^[ \t]*\{[:.#][^{}\n]*\}[ \t]*$", re.M)
SNIPPET = re.compile(
    r"^([ \t]*)-{1,2}8<-{1,2} \"([^\"\n]+)\"[ \t]*$|^([ \t]*)\{% include \"([^\"\n]+)\" %\}[ \t]*$", re.M
)
KEY = r"(?:[A-Za-z0-9-]+|\"[^\"\n+]+\"|'[^'\n+]+')"
KEYS = re.compile(rf"\+\+({KEY}(?:\+{KEY})*)\+\+")
ABBREVIATION = re.compile(r"^\*\[[^\]\n]+\]:[^\n]*\n?", re.M)
ESCAPED = re.compile(r"\\<(/?[A-Za-z][^<>\n]{0,80}?)\\?>")
"""What is no tag, since it is escaped: written as code, so that nobody after takes it for one."""
TASK = re.compile(r"^([ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+)\[[ xX]\][ \t]+", re.M)
"""The box of a task in a list."""
GAP = re.compile(r"\n(?:[ \t]*\n){2,}")
PARTIAL = (".md", ".mdx", ".markdown")
DEEPEST = 5
"""Pages that include each other."""


@dataclass(frozen=True, slots=True)
class Around:
    """What a page may refer to."""

    path: Path = Path()
    root: Path | None = None
    """Of the site; files outside are not read, and none where there is no root."""
    generator: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)
    config: Mapping[str, Any] = field(default_factory=dict)
    max_bytes: int = 2_000_000
    depth: int = 0
    room: Room = field(default_factory=Room)
    rst: Callable[[str], str] = str
    """Makes Markdown of a piece in reStructuredText, where pages may hold some."""

    @property
    def substitutions(self) -> Mapping[str, Any]:
        """What a page of MyST calls by a name."""
        myst = self.fields.get("myst")
        said = myst.get("substitutions") if isinstance(myst, dict) else self.fields.get("substitutions")
        return said if isinstance(said, dict) else {}

    def read(self, *places: Path) -> tuple[Path, str] | None:
        """As `Room.read` does; None for what stands too deep in other includes."""
        if self.root is None or self.depth >= DEEPEST:
            return None
        return self.room.read(self.root, self.max_bytes, *places)


def plain_markdown(text: str, *, mdx: bool = False, around: Around = Around()) -> str:
    """`text` without the marks of a site's generator. `mdx`: the file says that it is MDX."""
    mdx = mdx or around.generator in ("docusaurus", "mintlify") or bool(MODULE.match(text.lstrip()))
    text = with_includes(text, around)
    if around.generator == "sphinx":
        text = plain_myst(text, around.substitutions, around.rst)
    shortcodes = _shortcodes(around) if around.generator == "hugo" and "{{" in text else None
    text = shortcodes.code(text) if shortcodes else text
    text = grouped(text)
    code = Code()
    text = code.taken(text)
    text = shortcodes.shown(text, code.hold) if shortcodes else text
    text = ESCAPED.sub(lambda found: code.hold(f"`<{found[1]}>`"), text)
    text = resolved(text)
    imports: dict[str, str] = {}
    if mdx:
        text = COMMENT.sub(lambda found: "" if found[0].endswith("*/}") else found[0], _without_program(text, imports))
    if around.generator == "nuxt":
        text = Mdc(lambda name: _called(name, code, around)).tagged(text)
    text = tagged(text)
    if not mdx:
        text = code.indented(text)
    if mdx or "<" in text or "&" in text:
        root = tree(text, mdx=mdx)
        text = Writer(text, code, lambda one: _partial(one, imports, code, around)).page(root)
        text = GAP.sub("\n\n", text)
    text = without_figures(with_icons(TASK.sub(r"\1", text)))
    if "{" in text:
        text = SPAN_ATTRIBUTES.sub("", LINE_ATTRIBUTES.sub("", TEMPLATE.sub("", text)))
    if around.generator == "mkdocs":
        text = ABBREVIATION.sub("", KEYS.sub(_keys, text))
    return code.back(text)


def robots_say_no(text: str) -> bool:
    """Whether a page of Markdown holds `<meta name="robots" content="noindex">`."""
    if "noindex" not in text:
        return False
    code = Code()
    prose = code.indented(code.taken(text))
    return any(
        one.name.lower() == "meta"
        and one.said.get("name", "").lower() == "robots"
        and "noindex" in one.said.get("content", "")
        for one in tree(prose, mdx=False).walk()
    )


def with_includes(text: str, around: Around) -> str:
    """With what a page includes in its place, and the Liquid of a Jekyll site rendered."""
    if around.generator == "jekyll" and around.root is not None:
        from handrail.knowledge.markup.liquid import rendered

        root = around.root

        def included(name: str) -> str | None:
            found = around.read(root / "_includes" / name, around.path.parent / name)
            return split(found[1])[1] if found else None

        variables = {"page": dict(around.fields), "site": dict(around.config)}
        return rendered(text, variables, included, around.max_bytes)
    if "8<" in text or "{% include" in text:
        return SNIPPET.sub(lambda found: _snippet(found, around), text)
    return text


def _shortcodes(around: Around) -> Shortcodes:
    root = around.root

    def read(place: str) -> str | None:
        found = around.read(root / place) if root is not None else None
        return found[1] if found else None

    said = around.config.get("params")
    params = {**(said if isinstance(said, dict) else {}), **around.fields}
    lang = around.fields.get("lang") or around.config.get("defaultcontentlanguage")
    return Shortcodes(read, {str(key).lower(): value for key, value in params.items()}, str(lang or "en"))


def _snippet(found: re.Match[str], around: Around) -> str:
    name, indent = found[2] or found[4], found[1] or found[3] or ""
    root = around.root or Path()
    one = around.read(around.path.parent / name, root / name, root / "docs" / name, root / "includes" / name)
    if one is None:
        return ""
    path, text = one
    inner = with_includes(split(text)[1], _within(around, path))
    return "\n".join(f"{indent}{line}" for line in inner.strip("\n").split("\n"))


def _partial(element: Element, imports: Mapping[str, str], code: Code, around: Around) -> str | None:
    source = imports.get(element.name, "")
    if not source.endswith(PARTIAL) or around.root is None:
        return None
    place = around.root / source.removeprefix("@site/") if source.startswith("@site/") else around.path.parent / source
    if (one := around.read(place)) is None:
        return ""
    path, text = one
    body = split(text)[1]
    for key, value in element.said.items():
        body = body.replace(f"{{props.{key}}}", value)
    return code.hold(plain_markdown(body, mdx=True, around=_within(around, path)).strip())


def _called(name: str, code: Code, around: Around) -> str | None:
    """A page of Nuxt Content that a component calls by a name."""
    root = around.root or Path()
    folders = (root / "content" / "_partials", root / "content", around.path.parent)
    found = around.read(*(folder / f"{name.removesuffix('.md').strip('/')}.md" for folder in folders))
    if found is None:
        return None
    return code.hold(plain_markdown(split(found[1])[1], around=_within(around, found[0])).strip())


def _within(around: Around, path: Path) -> Around:
    return replace(around, path=path, depth=around.depth + 1)


def _without_program(text: str, imports: dict[str, str]) -> str:
    kept: list[str] = []
    program = False
    for line in text.split("\n"):
        after_blank = not kept or not kept[-1].strip() or program
        program = bool(line.strip()) and (program or (after_blank and bool(PROGRAM.match(line))))
        if not program:
            kept.append(line)
        elif named := IMPORT.match(line):
            imports[named[1]] = named[2]
    return "\n".join(kept)


def _keys(found: re.Match[str]) -> str:
    return "+".join(one.strip("\"' ").capitalize() for one in found[1].split("+"))
