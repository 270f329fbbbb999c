"""The tree of a page's tags as Markdown: what a reader of the site sees, and nothing that only lays it out."""

from __future__ import annotations

import html
import re
import textwrap
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence

from handrail.knowledge.grid import TALLEST, WIDEST, Grids, number, placed
from handrail.knowledge.markup import icons
from handrail.knowledge.markup.code import Code
from handrail.knowledge.markup.elements import Element
from handrail.knowledge.markup.groups import labels_of
from handrail.knowledge.markup.marks import KINDS, NOTE, TABBED
from handrail.knowledge.markup.names import HIDDEN, KEYS, PARAGRAPHS, SILENT, TEXTS, TITLES, UNSEEN, WRAPPED, kind_of
from handrail.text.markdown import END_OF_TABS, TAB_MARK, anchor_mark, run_in

HEADING = re.compile(r"^(#{1,6})(?=[ \t])", re.M)
LISTED = re.compile(r"\s*(?:[-*+]|\d+[.)])\s")
ROW, ALONE = re.compile(r"[\s>]*\|"), re.compile(r"[\s>]*(?:<br[^<>]*>\s*)+", re.I)
"""A row of a table, and a line that only breaks lines."""
ENDS = re.compile(r"^<br[^<>]*>[ \t]*$", re.M | re.I)
"""The end of a line."""
QUOTE = re.compile(r"^(?:> ?)+", re.M)
ENTITY = re.compile(r"&lt;(/?[A-Za-z][^<>&\n]{0,80}?)&gt;|&(#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
SPECIAL = frozenset("\\`*_[]<>|~#")
PANES = frozenset(("tab-pane", "tabpanel", "tab-panel", "tabs-panel"))
COLUMNS = 200
"""Characters of a line in front of an element that are looked at."""
SPANS = (("rowspan", TALLEST), ("colspan", WIDEST))
LOOK_BACK = 6000
"""Characters in front of an element in which the item of a list that it belongs to is looked for."""

Include = Callable[[Element], str | None]
"""Markdown that a component stands for; None for one that is no page."""


class Writer:
    def __init__(self, source: str, code: Code, include: Include) -> None:
        self._source, self._taken, self._include = source, code, include
        self._places: dict[int, tuple[int, bool]] = {}
        self._begins = [0, *(found.end() for found in re.finditer("\n", source))]
        """Where the lines of the source begin."""
        self._grids = Grids()
        self._quotes = 0
        """Notes and quotations within each other that are being written."""
        self._cells = 0
        """Tables within each other that are being written."""
        self._level = 1
        """Of the nearest heading; the title of the page is the first."""

    def page(self, root: Element) -> str:
        return self._inner(root)

    # What stands within an element

    def _inner(self, element: Element) -> str:
        written: list[str] = []
        group: list[str] = []
        for child in element.children:
            label = self._tab(child, element) if isinstance(child, Element) else None
            if isinstance(child, Element) and label is not None:
                group.append(self._tabbed(child, label))
                continue
            if isinstance(child, str) and group and not child.strip():
                continue
            if group:
                written.append(self._group(group))
                group = []
            written.append(self._words(child) if isinstance(child, str) else self._element(child))
        if group:
            written.append(self._group(group))
        return "".join(written)

    def _words(self, text: str) -> str:
        for found in HEADING.finditer(text):
            self._level = len(found[1])
        return ENTITY.sub(self._decoded, text) if "&" in text else text

    def _decoded(self, found: re.Match[str]) -> str:
        if found[1]:
            return self._taken.hold(f"`<{html.unescape(found[1])}>`")
        said = html.unescape(found[0]).replace("\xa0", " ")
        if said == "<":
            # What would then look like a tag stays as it is written.
            return found[0] if found.string[found.end() : found.end() + 1].isalpha() else "<"
        return f"\\{said}" if said in SPECIAL else said

    def _block(self, text: str, element: Element) -> str:
        """On lines of its own; in an item of a list, as far in as the item's text."""
        text = textwrap.dedent(text.strip("\n")).strip()
        column, begins = self._place(element)
        if not text:
            return "" if begins else "\n\n"
        lines = [" " * column + line if line.strip() else "" for line in text.split("\n")]
        return ("\n".join(lines).lstrip() if begins else "\n\n" + "\n".join(lines)) + "\n\n"

    # Tabs

    def _tab(self, element: Element, parent: Element) -> str | None:
        """The label of a tab; None for what is none."""
        name, around = element.name.lower(), parent.name.lower()
        said = element.said
        if name == "div" and (
            PANES & set(said.get("class", said.get("className", "")).split()) or said.get("role") == "tabpanel"
        ):
            return said.get("aria-label") or said.get("title") or ""
        tabbed = name == TABBED or name.endswith((".tab", "tabitem", ":tab")) or (name == "tab" and element.component)
        within = around.endswith(("tabs", "tabgroup", "codegroup", "tabset")) and bool(around)
        if not (tabbed or (within and any(key in said for key in (*TITLES, "value", "slot", "name")))):
            return None
        label = next((said[key] for key in ("title", "label", "heading", "header", "name") if said.get(key)), "")
        named = labels_of(parent.said.get("values", "")).get(said.get("value", ""), "")
        return html.unescape(label or named or said.get("value") or said.get("slot", ""))

    def _tabbed(self, element: Element, label: str) -> str:
        if self._quotes or self._listed(element):
            return (
                self._block(f"{run_in(label)}\n\n{self._dedented(element)}", element) if label else self._inner(element)
            )
        outer = self._level
        level = self._level = min(outer + 1, 6)
        text = self._dedented(element)
        self._level = outer
        if not label:
            found = re.match(r"#{1,6}[ \t]+(\S[^\n]*)", text)
            if found is None:
                return self._block(text, element)
            label, text = found[1].split("{#")[0].strip(" #"), text[found.end() :]
        levels = [len(found[1]) for found in HEADING.finditer(text)]
        deeper = max(0, level + 1 - min(levels)) if levels else 0
        text = HEADING.sub(lambda found: "#" * min(6, len(found[1]) + deeper), text)
        return f"\n\n{'#' * level} {' '.join(label.split())} {TAB_MARK}\n\n{text.strip()}\n\n"

    def _group(self, tabs: Sequence[str]) -> str:
        return "".join(tabs) + (f"\n\n{END_OF_TABS}\n\n" if any(TAB_MARK in tab for tab in tabs) else "")

    def _dedented(self, element: Element) -> str:
        return textwrap.dedent(self._inner(element).strip("\n")).strip()

    def _in_quote(self, element: Element) -> str:
        """What a note or quotation holds; no section begins in it."""
        self._quotes += 1
        text = self._dedented(element)
        self._quotes -= 1
        return text

    def _place(self, element: Element) -> tuple[int, bool]:
        """The column of the item of a list that it belongs to, 0 where it belongs to none, and whether it begins it."""
        if element.start in self._places:
            return self._places[element.start]
        begins = self._begins[bisect_right(self._begins, element.start) - 1]
        ahead = self._source[begins : min(element.start, begins + COLUMNS)]
        if begins == element.start or not (ahead.isspace() or LISTED.match(ahead)):
            return 0, False
        lines = self._source[max(0, element.start - LOOK_BACK) : element.start].split("\n")
        before = LISTED.match(lines[-1])
        if before and not lines[-1][before.end() :].strip():
            return before.end(), True
        own = column = len(lines[-1]) - len(lines[-1].lstrip())
        found = 0
        for line in reversed(lines[:-1]):
            if column == 0:
                break
            indent = len(line) - len(line.lstrip())
            if line.strip() and indent < column:
                if (item := LISTED.match(line)) and item.end() <= column:
                    found = own
                    break
                column = indent
        self._places[element.start] = (found, False)
        return found, False

    def _listed(self, element: Element) -> bool:
        """Whether it belongs to a step, an item of a list or a note, which it must not leave."""
        column, begins = self._place(element)
        line = self._source[max(0, element.start - COLUMNS) : element.start].rpartition("\n")[2]
        return column > 0 or begins or line.lstrip().startswith(">")

    # Elements

    def _element(self, element: Element) -> str:
        name = element.name.lower()
        if name == NOTE or (element.component and name in KINDS):
            return self._note(element, "" if name == NOTE else name)
        if element.component:
            return self._component(element)
        if (
            name in HIDDEN
            or "hidden" in element.said
            or "display:none" in element.said.get("style", "").replace(" ", "")
        ):
            return ""
        made = getattr(self, f"_{name}", None) if name in WRITTEN else None
        if made is not None:
            return str(made(element))
        if name in WRAPPED:
            inner = self._inner(element)
            if not icons.says_words(inner):
                return icons.pictured(icons.named(element.said)) or inner
            return f"{WRAPPED[name]}{inner.strip()}{WRAPPED[name]}" if "\n\n" not in inner else inner
        if name in PARAGRAPHS:
            return self._block(self._inner(element), element) if element.block else self._inner(element)
        if re.fullmatch(r"h[1-6]", name):
            return self._heading(element, int(name[1]))
        inner = icons.without_ornaments(self._inner(element)) if name == "button" else self._inner(element)
        return inner if icons.says_words(inner) else icons.pictured(icons.named(element.said)) or inner

    def _heading(self, element: Element, level: int) -> str:
        self._level = level
        own = f" {{#{element.said['id']}}}" if element.said.get("id") else ""
        said = " ".join(icons.PICTURED.sub("", self._inner(element)).split())
        return f"\n\n{'#' * level} {said}{own}\n\n" if said else "\n\n"

    def _note(self, element: Element, kind: str) -> str:
        said = element.said
        label = next((said[key] for key in TITLES if said.get(key)), "") or kind_of(said, kind)
        text = self._in_quote(element)
        if not text:
            return "\n\n"
        label = html.unescape(label).strip()
        runs_on = text[0].isalnum() and not LISTED.match(text)
        body = run_in(label[:1].upper() + label[1:]) + ("\n" if runs_on else "\n\n") + text if label else text
        return self._block(_quoted(body), element)

    def _component(self, element: Element) -> str:
        if (included := self._include(element)) is not None:
            return self._block(included, element)
        said = {key: html.unescape(value) for key, value in element.said.items() if "{" not in value}
        inner = self._inner(element)
        title = next((said[key] for key in TITLES if said.get(key)), "")
        if element.block:
            parts = [run_in(title) if title else "", textwrap.dedent(inner.strip("\n")).strip()]
            parts += [said[key] for key in TEXTS if said.get(key) and said[key] not in inner]
            return self._block("\n\n".join(part for part in parts if part), element)
        if icons.says_words(inner):
            return inner
        name = element.name.lower().rpartition(".")[2]
        values = [value for key, value in said.items() if value and key not in UNSEEN and ":" not in key]
        if any(name.endswith(end) for end in KEYS):
            values = [value for key, value in said.items() if value and key not in ("class", "className", "style")]
            return "+".join(part for value in values for part in value.split())
        if any(name.endswith(end) for end in SILENT):
            return icons.pictured(icons.named(said)) or inner or icons.of_component(_spaced(element.name), said)
        if "aria-label" in said or inner:
            return icons.pictured(said.get("aria-label", "")) or inner
        if not said and not element.said and element.children == []:
            return f"({_spaced(element.name)})"
        return " ".join(values)

    def _br(self, element: Element) -> str:
        begins = bisect_right(self._begins, element.start)
        line = self._source[self._begins[begins - 1] : self._begins[begins] if begins < len(self._begins) else None]
        if ROW.match(line) or ALONE.fullmatch(line.strip()):
            return " "
        return "  " if ENDS.search(line[element.start - self._begins[begins - 1] :]) else "<br>"

    def _hr(self, element: Element) -> str:
        return "\n\n---\n\n" if element.block else ""

    def _img(self, element: Element) -> str:
        alt = " ".join(element.said.get("alt", "").split())
        return f"![{alt.replace('[', '').replace(']', '')}](i)" if alt else ""

    def _a(self, element: Element) -> str:
        said, address = icons.without_ornaments(self._inner(element)), element.said.get("href", "")
        if address and not icons.says_words(said):
            said = icons.pictured(icons.named(element.said)) or said
        text, plain = said.strip(), icons.PICTURED.sub("", said)
        if not text and (own := element.said.get("id") or element.said.get("name")):
            return anchor_mark(own)
        if not text or "\n\n" in said or not address.startswith(("http:", "https:", "mailto:")) or "](" in plain:
            return said
        return f"[{text}]({address.replace(' ', '%20').replace(')', '%29')})"

    def _code(self, element: Element) -> str:
        text = html.unescape(self._code_text(element))
        if "\n" in text.strip():
            return self._pre(element)
        return self._code_span(text.strip())

    def _kbd(self, element: Element) -> str:
        before = self._source[max(0, element.start - COLUMNS) : element.start].rstrip(" ")
        return ("+" if before.endswith("</kbd>") else "") + self._inner(element).strip()

    def _pre(self, element: Element) -> str:
        text = html.unescape(self._code_text(element)).strip("\n")
        held = self._taken.hold("\n".join(("```", textwrap.dedent(text).rstrip(), "```"))) if text.strip() else ""
        return self._block(held, element)

    def _code_text(self, element: Element) -> str:
        return self._taken.back(element.text).strip("`") if "\ue000" in element.text else element.text

    def _code_span(self, text: str) -> str:
        return self._taken.hold(f"`{text}`" if "`" not in text else f"`` {text} ``") if text else ""

    def _blockquote(self, element: Element) -> str:
        return self._block(_quoted(self._in_quote(element)), element)

    def _ul(self, element: Element) -> str:
        items = [child for child in element.children if isinstance(child, Element)]
        if not items:
            return self._block(self._inner(element), element)
        ordered = element.name.lower() == "ol"
        lines = []
        for place, item in enumerate(items, 1):
            marker = f"{place}." if ordered else "-"
            text = self._dedented(item)
            if text:
                lines.append(f"{marker} " + text.replace("\n", "\n" + " " * (len(marker) + 1)))
        return self._block("\n".join(lines), element)

    _ol = _ul

    def _dl(self, element: Element) -> str:
        items = [
            (child.name.lower(), self._dedented(child)) for child in element.children if isinstance(child, Element)
        ]
        lines = [run_in(text) if name == "dt" else text for name, text in items if text]
        return self._block("\n\n".join(lines), element)

    def _details(self, element: Element) -> str:
        return self._block(self._inner(element), element)

    def _summary(self, element: Element) -> str:
        inner = self._inner(element).strip()
        if HEADING.match(inner) and "\n" not in inner:
            return self._block(inner, element)
        said = " ".join(inner.split()).strip("#* ")
        return self._block(run_in(said), element) if said else ""

    def _figcaption(self, element: Element) -> str:
        return ""

    def _table(self, element: Element) -> str:
        """A table within a cell is text of that cell. What a table says outside of its cells stands above it."""
        self._cells += 1
        loose: list[str] = []
        lines = [self._row(row, loose) for row in self._rows(element, loose)]
        self._cells -= 1
        above = "\n\n".join(text for one in loose if (text := one.strip()))
        if self._cells:
            return " ".join((f" {above}", *(text for line in lines for text, _, _ in line), ""))
        rows = [row for row in self._grids.spread(placed(lines), len, "") if any(row)]
        width = len(rows[0]) if rows else 0
        if width < 2 or len(rows) < 2:
            return self._block("\n\n".join((above, *(text for line in lines for text, _, _ in line if text))), element)
        shown = ["| " + " | ".join(row) + " |" for row in rows]
        shown.insert(1, "|" + " --- |" * width)
        return self._block((f"{above}\n\n" if above else "") + "\n".join(shown), element)

    def _rows(self, element: Element, loose: list[str]) -> Iterator[Element]:
        """Of a table, without those of tables in it; what stands between them goes to `loose`."""
        for child in element.children:
            name = "" if isinstance(child, str) else child.name.lower()
            if isinstance(child, str):
                loose.append(self._words(child))
            elif name == "tr":
                yield child
            elif name == "caption":
                said = self._dedented(child)
                loose.append(run_in(said) if said else "")
            elif name in ("thead", "tbody", "tfoot"):
                yield from self._rows(child, loose)
            else:
                loose.append(self._element(child))

    def _row(self, row: Element, loose: list[str]) -> list[tuple[str, int, int]]:
        cells = []
        for child in row.children:
            if isinstance(child, str):
                loose.append(self._words(child))
            elif child.name.lower() in ("td", "th"):
                down, across = (number(child.said.get(key, "").strip("{}"), most) for key, most in SPANS)
                cells.append((_cell(self._inner(child)), down, across))
            else:
                loose.append(self._element(child))
        return cells


WRITTEN = frozenset((
    "br", "hr", "img", "a", "code", "kbd", "pre", "blockquote", "ul", "ol", "dl", "details", "summary", "figcaption",
    "table",
))  # fmt: skip


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" if line.strip() else ">" for line in text.split("\n"))


def _cell(text: str) -> str:
    return re.sub(r"(?<!\\)\|", r"\\|", " ".join(QUOTE.sub("", text).replace("<br>", " ").split()))


def _spaced(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()
