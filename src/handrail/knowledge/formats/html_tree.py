"""The tree of an HTML page made ready for Markdown: what a reader sees, with notes, tabs and tables in plain tags."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from urllib.parse import urljoin, urlsplit

from bs4 import BeautifulSoup
from bs4.element import Tag
from lxml.etree import HTMLParser

from handrail.knowledge.formats import html_icons
from handrail.knowledge.formats.html_tables import new, tables
from handrail.knowledge.grid import number
from handrail.knowledge.markup.figures import WORDS_IN_ALT
from handrail.text.markdown import TAB_MARK, run_in

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
MAIN = (
    '[itemprop="articleBody"]',
    ".article-body",
    ".article__body",
    ".theme-doc-markdown",
    ".sl-markdown-content",
    "main article",
    "main",
    '[role="main"]',
    "article",
    "body",
)
"""Where help centres and generators of documentation keep a page's own text: the first that a page has once, counts."""
NEVER = frozenset(
    [
        "script",
        "style",
        "template",
        "noscript",
        "iframe",
        "object",
        "embed",
        "svg",
        "canvas",
        "audio",
        "video",
        "input",
        "select",
        "textarea",
        "dialog",
        "nav",
        "footer",
        "head",
        "title",
        "link",
        "meta",
    ]
)
NEVER_CLASS = frozenset(
    ["sr-only", "visually-hidden", "headerlink", "hash-link", "sl-anchor-link", "anchorjs-link", "heading-anchor"]
)
NEVER_ROLE = frozenset(("navigation", "search", "tooltip", "tablist", "banner", "contentinfo"))
NOTE_CLASS = frozenset(
    [
        "admonition",
        "theme-admonition",
        "callout",
        "hint",
        "alert",
        "markdown-alert",
        "note",
        "notice",
        "starlight-aside",
        "intercom-interblocks-callout",
    ]
)
NOTE_KINDS = ("danger", "error", "warning", "caution", "important", "success", "tip", "hint", "info", "note")
NOTE_TITLE = re.compile(r"(?:^|[-_])(?:title|heading)(?:$|[-_])|admonitionHeading", re.I)
"""In the class of the title of a note."""
TEXT_TAGS = ("p", "li", "td", "th", "dt", "dd", *HEADINGS)
PIECE = 4096
"""Bytes that are parsed before the parser can be stopped."""
BEHIND_TABS = "\ue000"
"""Alone in a paragraph behind the last of several tabs, until the page is Markdown."""
MOST_TAGS, DEEPEST, MOST_ITEMS = 50_000, 150, 5000
"""Tags of a page and within each other, steps of a list."""
MOST_NUMBER = 999_999_999
"""Of the first step of a list, as CommonMark has it."""
MOST_NESTED = 8
"""Lists and quotations within each other: each line of them repeats the marks or the indentation of all around it."""


class TooLarge(ValueError):
    """A page has more of something than any page for readers has; the message says of what."""


class _Measure:
    """Is told of each tag as the parser comes to it, so that no tree is made of a page that is too large for one."""

    def __init__(self) -> None:
        self._tags = self._depth = 0

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        self._tags += 1
        self._depth += 1
        if self._tags > MOST_TAGS:
            raise TooLarge(f"more than {MOST_TAGS} tags")
        if self._depth > DEEPEST:
            raise TooLarge(f"tags nested more than {DEEPEST} deep")

    def end(self, name: str) -> None:
        self._depth -= 1

    def close(self) -> None:
        return None


def tree(html: str) -> BeautifulSoup:
    """Raises TooLarge."""
    measuring = HTMLParser(target=_Measure(), huge_tree=True, encoding="utf-8")
    encoded = html.encode(errors="replace")
    for start in range(0, len(encoded) or 1, PIECE):
        measuring.feed(encoded[start : start + PIECE] or b" ")
    measuring.close()
    return BeautifulSoup(encoded.decode(), "lxml")


def main_of(soup: BeautifulSoup) -> Tag:
    """The part of a page that is the article."""
    for selector in MAIN:
        found = soup.select(selector, limit=2)
        if len(found) == 1 and found[0].get_text(strip=True):
            return found[0]
    return soup


def prepare(root: Tag, url: str) -> None:
    """Changes `root` in place. Links are made whole where `url` is known. Raises TooLarge."""
    html_icons.mark(root)
    for tag in [root, *root.find_all(True)]:
        # By their places from behind: a tag that is to go would be looked for among all before it.
        for at in reversed(range(len(tag.contents))):
            child = tag.contents[at]
            if isinstance(child, Tag) and _unseen(child):
                child.extract(at)
    for tag in root.find_all("button"):
        _plain(tag) if tag.find_parent(TEXT_TAGS) else _gone(tag)
    for tag in root.find_all("a"):
        _link(tag, url)
    for tag in root.find_all("img"):
        _image(tag, url)
    html_icons.show(root)
    for tag in root.find_all("ol"):
        if len(tag.find_all("li", recursive=False)) > MOST_ITEMS:
            raise TooLarge(f"a list of more than {MOST_ITEMS} steps")
        tag.attrs = {"start": str(number(tag.get("start"), MOST_NUMBER, 0))} if tag.has_attr("start") else {}
    for tag in root.find_all(HEADINGS):
        _anchor(tag, root)
    for tag in list(_notes(root)):
        _note(tag)
    _nested(root)
    for tag in root.find_all(("summary", "dt")):
        tag.name = "p"
        if said := tag.get_text(" ", strip=True):
            tag.string = ""
            tag.append(new("strong", run_in(said).strip("*")))
    for tag in root.find_all(("dl", "dd", "details")):
        tag.name = "div"
    _tabs(root)
    tables(root)


def classes(tag: Tag) -> list[str]:
    return attribute(tag, "class").split()


def joined(base: str, said: str) -> str:
    """An address on the page at `base`; empty for what is none."""
    try:
        return str(urljoin(base, said))
    except ValueError:
        return ""


def attribute(tag: Tag, name: str) -> str:
    said = tag.get(name) or ""
    return said if isinstance(said, str) else " ".join(said)


def _unseen(tag: Tag) -> bool:
    role = attribute(tag, "role")
    if role == "tabpanel":
        return False
    hidden = tag.has_attr("hidden") or "display:none" in attribute(tag, "style").replace(" ", "")
    return (
        tag.name in NEVER
        or role in NEVER_ROLE
        or hidden
        or not NEVER_CLASS.isdisjoint(classes(tag))
        or (tag.name == "aside" and not _is_note(tag))
    )


def _link(tag: Tag, url: str) -> None:
    href = attribute(tag, "href").strip()
    words = tag.get_text(strip=True)
    if href.startswith("#") and tag.find_parent(HEADINGS) and not any(c.isalnum() for c in words):
        _gone(tag)  # the mark beside a heading that leads to it
    elif whole := _whole(href, url):
        tag.attrs = {"href": whole}
    else:
        tag.attrs = {key: value for key, value in tag.attrs.items() if key in ("id", "name")}
        if not tag.attrs:
            _plain(tag)


def _image(tag: Tag, url: str) -> None:
    source, alt = _whole(attribute(tag, "src"), url), attribute(tag, "alt").split()
    if source:
        tag.attrs = {"src": source, "alt": " ".join(alt)}
    elif 0 < len(alt) <= WORDS_IN_ALT:
        html_icons.place(tag, " ".join(alt))
    else:
        _gone(tag)


def _plain(tag: Tag) -> None:
    """Leaves what it holds. Unwrapping it would look for it among all that stands beside it."""
    tag.name, tag.attrs = "span", {}


def _gone(tag: Tag) -> None:
    _plain(tag)
    tag.clear()


def _whole(address: str, url: str) -> str:
    """The address as a page elsewhere may name it; empty where there is none, or one that does something else."""
    try:
        whole = urljoin(url, address.strip()) if address else ""
        scheme = urlsplit(whole).scheme
    except ValueError:
        return ""
    return (
        whole.replace(" ", "%20").replace("(", "%28").replace(")", "%29")
        if scheme in ("http", "https")
        else (whole if scheme == "mailto" else "")
    )


def _anchor(heading: Tag, root: Tag) -> None:
    """The name by which a link leads to the heading, kept as its only attribute."""
    inside = [heading, *heading.find_all(True)]
    around = heading.parent
    if around is not None and around is not root and heading.find_previous_sibling(True) is None:
        inside.append(around)  # `<section id="limits"><h2>Limits</h2>`
    found = (attribute(tag, "id") or (attribute(tag, "name") if tag.name == "a" else "") for tag in inside)
    name = next(filter(None, found), "")
    heading.attrs = {"id": name} if name else {}


def _is_note(tag: Tag) -> bool:
    named = set(classes(tag))
    return attribute(tag, "role") in ("note", "alert") or not NOTE_CLASS.isdisjoint(named)


def _notes(root: Tag) -> Iterator[Tag]:
    """Deeper ones first, so that a note within a note is quoted twice."""
    found = [tag for tag in root.find_all(("div", "aside", "section", "p", "details", "blockquote")) if _is_note(tag)]
    return reversed(found)


def _note(tag: Tag) -> None:
    title = next((inner for inner in tag.find_all(True) if NOTE_TITLE.search(" ".join(classes(inner)))), None)
    said = title.get_text(" ", strip=True) if title is not None else attribute(tag, "aria-label")
    named = " ".join(classes(tag)).lower()
    kind = next((kind for kind in NOTE_KINDS if kind in named), "")
    if title is not None and title is not tag:
        title.decompose()
    label = said or kind.capitalize()
    opening = tag.get_text(" ", strip=True)[: len(label) + 1].casefold()
    inner = new("p") if tag.name == "p" else None
    if inner is not None:
        for child in list(tag.contents):
            inner.append(child.extract())
        tag.append(inner)
    tag.name, tag.attrs = "blockquote", {}
    if label and not opening.startswith(label.casefold()):
        labelled = new("p")
        labelled.append(new("strong", run_in(label).strip("*")))
        tag.insert(0, labelled)


def _tabs(root: Tag) -> None:
    for tabset in root.select(".tabbed-set"):  # Material for MkDocs: labels, then as many blocks
        labels = [label.get_text(" ", strip=True) for label in tabset.select(".tabbed-labels > label")]
        for block, label in zip(tabset.select(".tabbed-content > .tabbed-block"), labels, strict=False):
            block.attrs = {"role": "tabpanel", "aria-label": label}
        for inner in tabset.select(".tabbed-labels"):
            inner.decompose()
    sets: dict[int, list[Tag]] = {}
    for panel in root.select('[role="tabpanel"]'):
        if attribute(panel, "aria-label"):
            sets.setdefault(id(panel.parent), []).append(panel)
    firsts = {id(panels[0]): panels for panels in sets.values()}
    levels: dict[int, int] = {}
    """Of the labels of panels, by the ids of these."""
    level = 1
    for tag in root.find_all(True):
        if panels := firsts.get(id(tag)):
            levels |= dict.fromkeys(map(id, panels), _tabbed(panels, level))
        if id(tag) in levels:
            level = levels[id(tag)] or level
        elif tag.name in HEADINGS:
            level = int(tag.name[1])


def _nested(root: Tag) -> None:
    """Lists and quotations that stand too deep in others become plain blocks."""
    depths = {id(root): 0}
    for tag in root.find_all(True):
        nests = tag.name in ("ul", "ol", "blockquote")
        depths[id(tag)] = depth = depths.get(id(tag.parent), 0) + nests
        if nests and depth > MOST_NESTED:
            for item in tag.find_all("li", recursive=False):
                item.name = "div"
            tag.name = "div"


def label_panels(soup: Tag) -> None:
    """Gives each panel of tabs its tab's label, before the row of tabs goes; panels with neither keep none."""
    roles = [(tag, attribute(tag, "role")) for tag in soup.select("[role]")]
    tabs = [tag for tag, role in roles if role == "tab"]
    by_id = {attribute(tab, "id"): tab for tab in tabs if tab.get("id")}
    by_panel = {attribute(tab, "aria-controls"): tab for tab in tabs if tab.get("aria-controls")}
    row: list[Tag] = []
    before = Counter[int]()
    """Panels so far, by the element that they stand in."""
    for tag, role in roles:
        if role == "tablist":
            row = tag.select('[role="tab"]')
        if role != "tabpanel":
            continue
        at = before[id(tag.parent)]
        before[id(tag.parent)] += 1
        tab = by_panel.get(attribute(tag, "id")) or by_id.get(attribute(tag, "aria-labelledby"))
        if tab is None and at < len(row):
            tab = row[at]
        if tab is not None:
            tag["aria-label"] = tab.get_text(" ", strip=True)


def _tabbed(panels: list[Tag], above: int) -> int:
    """Each tab is a section of its own; within an item, a cell or a note it only has its label above it.

    `above` is the level of the heading above; the level of the labels, 0 where they are no headings.
    """
    within = panels[0].find_parent(("li", "td", "th", "blockquote")) is not None
    level = min(6, above + 1)
    for panel in panels:
        label = " ".join(attribute(panel, "aria-label").split())
        if within:
            headed = new("p")
            headed.append(new("strong", run_in(label).strip("*")))
        else:
            inner = panel.find_all(HEADINGS)
            deeper = level + 1 - min((int(tag.name[1]) for tag in inner), default=level + 1)
            for tag in inner:
                tag.name = f"h{min(6, int(tag.name[1]) + max(0, deeper))}"
            headed = new(f"h{level}", f"{label} {TAB_MARK}")
        panel.attrs = {}
        panel.insert(0, headed)
    if within:
        return 0
    panels[-1].insert_after(new("p", BEHIND_TABS))
    return level
