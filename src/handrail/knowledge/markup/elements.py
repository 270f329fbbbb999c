"""HTML tags, MDX components and MDX expressions in Markdown, as a tree; what stands between them is left as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

VALUE = r"\"[^\"]{0,2000}+\"|'[^']{0,2000}+'"
BRACED = r"\{(?:[^{}]++|\{(?:[^{}]++|\{(?:[^{}]++|\{[^{}]*+\})*+\})*+\})*+\}"
TAG = re.compile(
    rf"<(?P<end>/?)(?P<name>[A-Za-z][\w.:-]*+)?(?P<said>(?:\s++|{VALUE}|{BRACED}|[^\s<>\"'{{}}/]++|/(?!>))*+)(?P<self>/?)>"
)
ATTRIBUTE = re.compile(rf"(?P<name>[\w:@.-]+)(?:\s*=\s*(?P<value>{VALUE}|{BRACED}|[^\s\"'{{}}]++))?|{BRACED}")
EXPRESSION = re.compile(BRACED)
AUTOLINK = re.compile(
    r"<(?:(?:https?|ftp|mailto|tel):[^\s<>]{1,2000}|[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8})>", re.I
)
"""An address between angle brackets, which is no tag."""
REST = re.compile(r"[^\S\n]*+(?:\n|\Z)")
"""Of a line behind which nothing is said."""
STARTS = re.compile(r"<!--|<[A-Za-z/>]|\{")
STRING = re.compile(r"\s*(?:\"([^\"]*)\"|'([^']*)'|`([^`$]*)`)\s*")
VOID = frozenset(["br", "hr", "img", "input", "meta", "link", "source", "col", "area", "wbr", "embed", "track"])
RAW = frozenset(["script", "style", "svg"])
"""Elements whose content is no text."""
DRAWN = re.compile(r"<title\b[^<>]{0,200}>([^<>]{1,200})</title>")
"""What a drawing is called."""
ENDED_BY = {
    "li": ("li",), "p": ("p", "div", "ul", "ol", "table", "h1", "h2", "h3", "h4", "pre"), "dt": ("dt", "dd"),
    "dd": ("dt", "dd"), "tr": ("tr", "tbody", "tfoot"), "td": ("td", "th", "tr", "tbody"),
    "th": ("td", "th", "tr", "tbody"),
}  # fmt: skip
"""Elements without an end tag, and what begins behind them."""
HOLDS = {"li": ("ul", "ol"), "tr": ("table",), "td": ("table",), "th": ("table",), "dt": ("dl",), "dd": ("dl",)}
"""What an element that is ended so never reaches out of."""
DEEPEST = 60
"""Elements within each other; deeper ones give what they hold to those around them."""


@dataclass(slots=True)
class Element:
    name: str
    """As it is written; empty for the whole text, and for a fragment of MDX."""
    said: Mapping[str, str] = field(default_factory=dict)
    children: list[Element | str] = field(default_factory=list)
    block: bool = True
    """Whether it begins a line; one without content has the line for itself."""
    start: int = 0
    """Where it stands in the text."""

    @property
    def component(self) -> bool:
        return self.name[:1].isupper() or "." in self.name

    @property
    def text(self) -> str:
        return "".join(child if isinstance(child, str) else child.text for child in self.children)

    def walk(self) -> Iterator[Element]:
        for child in self.children:
            if isinstance(child, Element):
                yield child
                yield from child.walk()


def tree(text: str, *, mdx: bool) -> Element:
    """`mdx`: what stands in braces is an expression, of which only a literal is shown."""
    return _Tree(text, mdx).root


class _Tree:
    def __init__(self, text: str, mdx: bool) -> None:
        self.root = Element("")
        self._text, self._mdx = text, mdx
        self._open = [self.root]
        self._no_more: set[str] = set()
        """Ends that do not come any more."""
        at = 0
        while found := STARTS.search(text, at):
            self._say(text[at : found.start()])
            at = self._begun(found.start(), found[0])
        self._say(text[at:])

    def _say(self, words: str) -> None:
        if words:
            self._open[-1].children.append(words)

    def _begun(self, at: int, start: str) -> int:
        """Reads what begins at `at`; where to go on."""
        if start == "<!--":
            end = self._end("-->", at + 4)
            if end < 0:
                self._say(start)
            return end if end > 0 else at + len(start)
        if start == "{":
            return self._expression(at)
        if address := AUTOLINK.match(self._text, at):
            self._say(address[0])
            return address.end()
        found = TAG.match(self._text, at)
        if found is None or (not found["name"] and not self._mdx):
            self._say(self._text[at])
            return at + 1
        name = found["name"] or ""
        if found["end"]:
            self._close(name)
            return found.end()
        element = Element(name, _attributes(found["said"]), block=self._is_block(found), start=at)
        low = name.lower()
        empty = bool(found["self"]) or low in VOID
        if low in RAW and not empty:
            end = self._end(f"</{name}>", found.end())
            if low == "svg":
                drawn = DRAWN.search(self._text, found.end(), max(end, found.end()))
                element.said = {**({"title": drawn[1]} if drawn else {}), **element.said}
                self._open[-1].children.append(element)
            return end if end > 0 else found.end()
        for _ in range(len(self._open)):
            self._imply(low)
        self._open[-1].children.append(element)
        if not empty and len(self._open) < DEEPEST:
            self._open.append(element)
        return found.end()

    def _end(self, mark: str, start: int) -> int:
        """Behind the next `mark`; -1 where there is none. Looked for once."""
        if mark in self._no_more:
            return -1
        end = self._text.find(mark, start)
        if end < 0:
            self._no_more.add(mark)
            return -1
        return end + len(mark)

    def _expression(self, at: int) -> int:
        found = EXPRESSION.match(self._text, at) if self._mdx else None
        if found is None or self._text[at - 1 : at] == "\\" or self._text[at + 1 : at + 2] in ("#", ".", "%"):
            self._say("{")
            return at + 1
        self._say(literal(found[0]) or "")
        return found.end()

    def _is_block(self, found: re.Match[str]) -> bool:
        before = found.start()
        while before > 0 and self._text[before - 1] in " \t>":
            before -= 1
        if before > 0 and self._text[before - 1] != "\n":
            return False
        return not found["self"] or REST.match(self._text, found.end()) is not None

    def _imply(self, low: str) -> None:
        last = self._open[-1].name.lower()
        if len(self._open) > 1 and low in ENDED_BY.get(last, ()):
            self._open.pop()

    def _close(self, name: str) -> None:
        bounds = HOLDS.get(name.lower(), ())
        for depth in range(len(self._open) - 1, 0, -1):
            opened = self._open[depth].name
            if opened.lower() == name.lower():
                del self._open[depth:]
                return
            if opened.lower() in bounds:
                return


def literal(expression: str) -> str | None:
    """The text of `{"a text"}`; None for what is no literal."""
    found = STRING.fullmatch(expression[1:-1])
    return next((text for text in found.groups() if text is not None), "") if found else None


def _attributes(said: str) -> dict[str, str]:
    """By name; an expression that is no literal stays in its braces."""
    found: dict[str, str] = {}
    for one in ATTRIBUTE.finditer(said[:5000]):
        if one["name"] and one["name"] not in found:
            value = one["value"] or ""
            if value[:1] in ("'", '"'):
                value = value[1:-1]
            elif value[:1] == "{":
                text = literal(value)
                value = value if text is None else text
            found[one["name"]] = value
    return found
