"""The tree of an HTML page made ready for Markdown: what a reader sees, with notes, tabs and tables in plain tags."""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import copy
from urllib.parse import urljoin, urlsplit

from bs4 import BeautifulSoup
from bs4.element import Tag

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
BEHIND_TABS = "\ue000"
"""Alone in a paragraph behind the last of several tabs, until the page is Markdown."""
MOST_TAGS, DEEPEST, MOST_ITEMS, MOST_CELLS, WIDEST = 50_000, 150, 5000, 50_000, 1000
"""Tags of a page and within each other, steps of a list, cells that merged ones are written in, columns of one cell."""


class TooLarge(ValueError):
    """A page has more of something than any page for readers has; the message says of what."""


def tree(html: str) -> BeautifulSoup:
    """Raises TooLarge."""
    soup = BeautifulSoup(html, "lxml")
    depths = {id(soup): 0}
    for number, tag in enumerate(soup.find_all(True)):
        depths[id(tag)] = depth = depths[id(tag.parent)] + 1
        if number >= MOST_TAGS:
            raise TooLarge(f"more than {MOST_TAGS} tags")
        if depth > DEEPEST:
            raise TooLarge(f"tags nested more than {DEEPEST} deep")
    return soup


def main_of(soup: BeautifulSoup) -> Tag:
    """The part of a page that is the article."""
    for selector in MAIN:
        found = soup.select(selector, limit=2)
        if len(found) == 1 and found[0].get_text(strip=True):
            return found[0]
    return soup


def prepare(root: Tag, url: str) -> None:
    """Changes `root` in place. Links are made whole where `url` is known. Raises TooLarge."""
    for tag in root.find_all(True):
        if not tag.decomposed and _unseen(tag):
            tag.decompose()
    for tag in root.find_all("button"):
        tag.unwrap() if tag.find_parent(TEXT_TAGS) else tag.decompose()
    for tag in root.find_all("a"):
        _link(tag, url)
    for tag in root.find_all("img"):
        _image(tag, url)
    for tag in root.find_all("ol"):
        if len(tag.find_all("li", recursive=False)) > MOST_ITEMS:
            raise TooLarge(f"a list of more than {MOST_ITEMS} steps")
    for tag in root.find_all(HEADINGS):
        _anchor(tag, root)
    for tag in list(_notes(root)):
        _note(tag)
    for tag in root.find_all(("summary", "dt")):
        tag.name = "p"
        if said := tag.get_text(" ", strip=True):
            tag.string = ""
            tag.append(_new("strong", run_in(said).strip("*")))
    for tag in root.find_all(("dl", "dd", "details")):
        tag.name = "div"
    _tabs(root)
    _tables(root)


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


def _new(name: str, text: str = "") -> Tag:
    tag = Tag(name=name)
    if text:
        tag.string = text
    return tag


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
        tag.decompose()  # the mark beside a heading that leads to it
    elif whole := _whole(href, url):
        tag.attrs = {"href": whole}
    else:
        tag.attrs = {key: value for key, value in tag.attrs.items() if key in ("id", "name")}
        if not tag.attrs:
            tag.unwrap()


def _image(tag: Tag, url: str) -> None:
    source = _whole(attribute(tag, "src"), url)
    if source:
        tag.attrs = {"src": source, "alt": " ".join(attribute(tag, "alt").split())}
    else:
        tag.decompose()


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
    inner = _new("p") if tag.name == "p" else None
    if inner is not None:
        for child in list(tag.contents):
            inner.append(child.extract())
        tag.append(inner)
    tag.name, tag.attrs = "blockquote", {}
    if label and not opening.startswith(label.casefold()):
        labelled = _new("p")
        labelled.append(_new("strong", run_in(label).strip("*")))
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
    for panels in sets.values():
        _tabbed(panels)


def label_panels(soup: Tag) -> None:
    """Gives each panel of tabs its tab's label, before the row of tabs goes; panels with neither keep none."""
    tabs = soup.select('[role="tab"]')
    by_id = {attribute(tab, "id"): tab for tab in tabs if tab.get("id")}
    by_panel = {attribute(tab, "aria-controls"): tab for tab in tabs if tab.get("aria-controls")}
    for panel in soup.select('[role="tabpanel"]'):
        tab = by_panel.get(attribute(panel, "id")) or by_id.get(attribute(panel, "aria-labelledby"))
        if tab is None and (row := panel.find_previous(attrs={"role": "tablist"})) is not None:
            own = row.select('[role="tab"]')
            before = panel.find_previous_siblings(attrs={"role": "tabpanel"})
            tab = own[len(before)] if len(before) < len(own) else None
        if tab is not None:
            panel["aria-label"] = tab.get_text(" ", strip=True)


def _tabbed(panels: list[Tag]) -> None:
    """Each tab is a section of its own; within an item, a cell or a note it only has its label above it."""
    within = panels[0].find_parent(("li", "td", "th", "blockquote")) is not None
    above = panels[0].find_previous(HEADINGS)
    level = min(6, int(above.name[1]) + 1 if isinstance(above, Tag) else 2)
    for panel in panels:
        label = " ".join(attribute(panel, "aria-label").split())
        if within:
            headed = _new("p")
            headed.append(_new("strong", run_in(label).strip("*")))
        else:
            inner = panel.find_all(HEADINGS)
            deeper = level + 1 - min((int(tag.name[1]) for tag in inner), default=level + 1)
            for tag in inner:
                tag.name = f"h{min(6, int(tag.name[1]) + max(0, deeper))}"
            headed = _new(f"h{level}", f"{label} {TAB_MARK}")
        panel.attrs = {}
        panel.insert(0, headed)
    if not within:
        panels[-1].insert_after(_new("p", BEHIND_TABS))


def _tables(root: Tag) -> None:
    """Every row a row of the table itself, and every cell that reaches over others written in each of them."""
    added = 0
    for table in root.find_all("table"):
        if table.find_parent("table") is not None:
            continue  # becomes the text of a cell
        pending: dict[int, tuple[int, Tag]] = {}
        rows = [row for row in table.find_all("tr") if row.find_parent("table") is table]
        caption = table.find("caption")
        made = []
        for row in rows:
            cells, at = iter(row.find_all(("td", "th"), recursive=False)), 0
            wide: list[Tag] = []
            while True:
                if at in pending:
                    left, cell = pending.pop(at)
                    wide.append(copy(cell))
                    if left > 1:
                        pending[at] = (left - 1, cell)
                    added, at = added + 1, at + 1
                    continue
                following = next(cells, None)
                if following is None and not any(column > at for column in pending):
                    break
                cell = _new("td") if following is None else following
                down, across = _span(cell, "rowspan"), _span(cell, "colspan")
                cell.attrs = {}
                for _ in range(across):
                    wide.append(cell if not wide or wide[-1] is not cell else copy(cell))
                    if down > 1:
                        pending[at] = (down - 1, cell)
                    added, at = added + (across > 1), at + 1
                if added > MOST_CELLS:
                    raise TooLarge(f"tables of more than {MOST_CELLS} merged cells")
            new = _new("tr")
            new.extend([cell.extract() if cell.parent is not None else cell for cell in wide])
            made.append(new)
        kept = caption.extract() if caption is not None else None
        table.clear()
        if kept is not None:
            kept.name = "p"
            table.insert_before(kept)
        table.extend(made)


def _span(cell: Tag, name: str) -> int:
    said = attribute(cell, name)
    return max(1, min(WIDEST, int(said))) if said.isascii() and said.isdigit() and len(said) < 6 else 1
