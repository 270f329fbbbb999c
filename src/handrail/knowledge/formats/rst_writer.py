"""A document of docutils as Markdown."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from pathlib import PurePosixPath

from docutils import nodes

from handrail.knowledge.grid import Grids, placed
from handrail.text.markdown import END_OF_TABS, TAB_MARK, run_in, slug

SILENT = (
    nodes.comment, nodes.substitution_definition, nodes.target, nodes.image, nodes.figure, nodes.meta, nodes.raw,
    nodes.pending, nodes.docinfo, nodes.decoration, nodes.title, nodes.label,
)  # fmt: skip
DEFINES = (nodes.definition, nodes.field_body, nodes.description)
SPECIAL = re.compile(r"<(/?[A-Za-z][^<>]*)>|[\\`*\[\]]|(?<!\w)_|_(?!\w)|^>")
"""What Markdown takes for a mark; what it takes for a tag is code, so that it is seen."""
KINDS = {"admonition": "", "error": "Error", "attention": "Attention"}
MARKER = re.compile(r"\.\.[ \t]+[^\n]*?::[ \t]*")
ERROR = 3
"""Level of a message of docutils from which it has left out what the message is about."""
DEEPEST = 80
BOLD = re.compile(r"\*\*[^*]+\*\*")
"""Cells of a first row that names the columns, though the page doesn't say so."""
QUOTE = re.compile(r"^(?:> ?)+", re.M)
WORDS_IN_ALT = 5
CODE_POINT = re.compile(r"[0-9A-F]{2,6}|\d+")
"""In the name of a picture of an icon."""
UNDERLINED = re.compile(r"(\S[^\n]*)\n([^\w\s])\2{2,}")
"""A title where no section can begin, such as in a tab."""


class Writer:
    def __init__(self, titles: Mapping[str, str]) -> None:
        self._titles = titles
        self._depth = 0
        self._grids = Grids()
        self._cells = 0
        """Tables within each other that are being written."""

    def page(self, document: nodes.document) -> tuple[str, str]:
        """Its title and the rest. A page has one section for itself, or several on the first level."""
        top = [one for one in document.children if isinstance(one, nodes.section)]
        if not top:
            return "", self._blocks(document, 1).strip()
        title = self._inline(top[0][0]) if isinstance(top[0][0], nodes.title) else ""
        parts = []
        first = True
        for child in document.children:
            if isinstance(child, nodes.section) and first:
                parts.append(self._blocks(child, 1))
                first = False
            elif not (isinstance(child, nodes.field_list) and first):
                parts.append(self._block(child, 1))
        return _plain(title), "\n\n".join(part for part in parts if part.strip()).strip()

    def _blocks(self, node: nodes.Node, level: int) -> str:
        parts: list[str] = []
        tabs = False
        for child in node.children:
            is_tab = isinstance(child, nodes.container) and "tab" in child
            if tabs and not is_tab:
                parts.append(END_OF_TABS)
            tabs = is_tab
            parts.append(self._block(child, level))
        if tabs:
            parts.append(END_OF_TABS)
        return "\n\n".join(part for part in parts if part.strip())

    def _block(self, node: nodes.Node, level: int) -> str:
        if self._depth > DEEPEST:
            return str(node.astext())
        self._depth += 1
        try:
            return self._written(node, level)
        finally:
            self._depth -= 1

    def _written(self, node: nodes.Node, level: int) -> str:
        if isinstance(node, nodes.section):
            return self._section(node, level)
        if isinstance(node, SILENT):
            return ""
        if isinstance(node, nodes.system_message):
            return self._refused(node)
        if isinstance(node, nodes.paragraph | nodes.rubric | nodes.attribution | nodes.subtitle):
            said = self._inline(node)
            return run_in(said) if isinstance(node, nodes.rubric) and said else said
        if isinstance(node, nodes.literal_block | nodes.doctest_block):
            return _fenced(node.astext(), str(node.get("language", "")))
        if isinstance(node, nodes.bullet_list):
            return self._list(node, level, "-")
        if isinstance(node, nodes.enumerated_list):
            return self._list(node, level, str(node.get("start", 1)))
        if isinstance(node, nodes.definition_list | nodes.option_list | nodes.field_list):
            return self._definitions(node, level)
        if isinstance(node, nodes.table):
            return self._table(node)
        if isinstance(node, nodes.Admonition):
            return self._note(node, level)
        if isinstance(node, nodes.block_quote):
            return self._blocks(node, level)
        if isinstance(node, nodes.line_block):
            return "  \n".join(line for line in self._lines(node) if line)
        if isinstance(node, nodes.container) and "tab" in node:
            label = self._inline(node.children[0])
            del node[0]
            return f"{'#' * min(6, level + 1)} {label} {TAB_MARK}\n\n{self._blocks(node, min(6, level + 1))}"
        if isinstance(node, nodes.transition):
            return "---"
        if isinstance(node, nodes.Inline | nodes.Text):
            return self._inline(node)
        return self._blocks(node, level)

    def _refused(self, message: nodes.system_message) -> str:
        """What docutils could not read, as it is written; a definition that a page doesn't use is no text of it."""
        text = next((one.astext() for one in message.children if isinstance(one, nodes.literal_block)), "")
        if message.get("level", 0) < ERROR or text.lstrip().startswith((".. |", ".. _")):
            return ""
        if title := UNDERLINED.fullmatch(text.strip()):
            return f"**{_prose(title[1].strip())}**"
        return _fenced(MARKER.sub("", text, count=1) if MARKER.match(text) else text, "")

    def _section(self, node: nodes.section, level: int) -> str:
        deeper = min(6, level + 1)
        title = self._inline(node[0]) if node.children and isinstance(node[0], nodes.title) else ""
        # Sphinx links to the first of a section's ids, which comes from its title.
        anchor = next(iter(node.get("ids", ())), "")
        own = f" {{#{anchor}}}" if anchor and anchor != slug(_plain(title)) else ""
        return f"{'#' * deeper} {title}{own}\n\n{self._blocks(node, deeper)}"

    def _lines(self, node: nodes.Node) -> list[str]:
        lines: list[str] = []
        for child in node.children:
            lines += self._lines(child) if isinstance(child, nodes.line_block) else [self._inline(child)]
        return lines

    def _list(self, node: nodes.Node, level: int, first: str) -> str:
        items = []
        for number, item in enumerate(node.children):
            marker = "-" if first == "-" else f"{int(first) + number}."
            text = self._nested(item, level)
            if text:
                items.append(f"{marker} " + text.replace("\n", "\n" + " " * (len(marker) + 1)))
        loose = any("\n\n" in item for item in items)
        return ("\n\n" if loose else "\n").join(items)

    def _nested(self, node: nodes.Node, level: int) -> str:
        """Within a list or note no section begins: a tab is labelled in the line."""
        text = self._blocks(node, level).strip()
        text = re.sub(rf"^#+ (.+?) {re.escape(TAB_MARK)}$", lambda found: run_in(found[1]), text, flags=re.M)
        return text.replace(f"\n\n{END_OF_TABS}", "").replace(END_OF_TABS, "").strip()

    def _definitions(self, node: nodes.Node, level: int) -> str:
        parts = []
        for item in node.children:
            terms = [self._inline(one) for one in item.children if not isinstance(one, DEFINES)]
            said = "\n\n".join(self._nested(one, level) for one in item.children if isinstance(one, DEFINES))
            term = ", ".join(one for one in terms if one)
            label = f"**{term}**" if "*" not in term else term
            parts.append(f"{label}\n\n{said}" if said.count("\n") else f"{label}: {said}" if said else label)
        return "\n\n".join(parts)

    def _note(self, node: nodes.Element, level: int) -> str:
        children = list(node.children)
        kind = str(node.get("kind", "")) or KINDS.get(node.tagname, node.tagname.capitalize())
        if children and isinstance(children[0], nodes.title):
            kind = _plain(self._inline(children[0]))
        text = self._nested(node, level)
        body = f"{run_in(kind)}\n\n{text}" if kind else text
        return "\n".join(f"> {line}".rstrip() for line in body.split("\n")) if text else ""

    def _table(self, node: nodes.table) -> str:
        """A table within a cell is text of that cell."""
        parts = [part for group in node.children if isinstance(group, nodes.tgroup) for part in group.children]
        found = [(part, row) for part in parts for row in part.children if isinstance(row, nodes.row)]
        self._cells += 1
        lines = [[self._cell(entry) for entry in row.children] for _, row in found]
        self._cells -= 1
        title = next((self._inline(one) for one in node.children if isinstance(one, nodes.title)), "")
        if self._cells:
            return " ".join(filter(None, (title, *(text for line in lines for text, _, _ in line))))
        rows = self._grids.spread(placed(lines), len, "")
        if not rows:
            return ""
        headed = any(isinstance(part, nodes.thead) for part, _ in found)
        if not headed and not (len(rows) > 1 and any(rows[0]) and all(BOLD.fullmatch(one) for one in rows[0] if one)):
            rows.insert(0, [""] * len(rows[0]))
        shown = ["| " + " | ".join(row) + " |" for row in rows]
        shown.insert(1, "|" + " --- |" * len(rows[0]))
        return (f"{run_in(title)}\n\n" if title else "") + "\n".join(shown)

    def _cell(self, entry: nodes.entry) -> tuple[str, int, int]:
        text = " ".join(QUOTE.sub("", self._nested(entry, 6)).split()) or _pictured(entry)
        if self._cells == 1:
            text = text.replace("|", "\\|").replace("\\\\|", "\\|")
        return text, int(entry.get("morerows", 0)) + 1, int(entry.get("morecols", 0)) + 1

    def _inline(self, node: nodes.Node) -> str:
        if isinstance(node, nodes.Text):
            return _prose(node.astext().replace("\n", " "))
        if isinstance(node, nodes.literal | nodes.math):
            text = " ".join(node.astext().split())
            return f"`{text}`" if "`" not in text else f"`` {text} ``"
        if isinstance(node, nodes.image | nodes.target | nodes.system_message | nodes.footnote_reference | nodes.raw):
            return ""
        if isinstance(node, nodes.inline) and node.get("wanted"):
            return _prose(self._title_of(node["wanted"], doc=bool(node.get("doc"))))
        if isinstance(node, nodes.problematic):
            return _prose(node.astext().strip("`|_"))
        said = "".join(map(self._inline, node.children))
        if isinstance(node, nodes.strong | nodes.emphasis) and said.strip():
            mark = "**" if isinstance(node, nodes.strong) else "*"
            return f"{mark}{said.strip()}{mark}"
        address = str(node.get("refuri", "")) if isinstance(node, nodes.reference) else ""
        if address.startswith(("http:", "https:", "mailto:")) and said:
            return said if said.replace("\\", "") == address else f"[{said}]({address.replace(')', '%29')})"
        return said

    def _title_of(self, target: str, *, doc: bool) -> str:
        """The title that Sphinx writes for a reference; the words of the reference for want of it."""
        if not doc:
            return self._titles.get(target.casefold(), target.rpartition(":")[2].replace("-", " ").replace("_", " "))
        name = target.removesuffix(".rst")
        found = self._titles.get(name) or self._titles.get(f"/{name}") or self._ending(f"/{name.strip('./')}")
        return found or name.rpartition("/")[2].replace("-", " ")

    def _ending(self, path: str) -> str:
        """The title of the one page whose path ends so: where the pages begin is not known of every source."""
        found = [title for name, title in self._titles.items() if name.startswith("/") and name.endswith(path)]
        return found[0] if len(found) == 1 else ""


def _pictured(entry: nodes.Node) -> str:
    """What the picture shows that is all there is in a cell."""
    image = next(iter(entry.findall(nodes.image)), None)
    said = str(image.get("alt", "")).split() if image is not None else []
    if image is not None and not 0 < len(said) <= WORDS_IN_ALT:
        parts = re.split(r"[-_\s]+", PurePosixPath(str(image.get("uri", ""))).stem)
        said = [part for part in parts if not CODE_POINT.fullmatch(part)]
    return _prose(" ".join(said))


def _fenced(text: str, language: str) -> str:
    fence = "````" if "```" in text else "```"
    return f"{fence}{language}\n{textwrap.dedent(text).rstrip()}\n{fence}" if text.strip() else ""


def _prose(text: str) -> str:
    return SPECIAL.sub(lambda found: f"`{found[0]}`" if found[1] else f"\\{found[0]}", text)


def _plain(title: str) -> str:
    return re.sub(r"\\(?=[^\w\s])|[*`]", "", title).strip()
