"""The names of buttons and icons in the middle of a sentence: a page shows a picture there, and says its word."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from bs4.element import NavigableString, PageElement, PreformattedString, Tag

from handrail.knowledge.formats.html_tables import new
from handrail.knowledge.markup.figures import WORDS_IN_ALT

NAME = "x-icon-name"
"""The attribute under which the name of an icon is kept until it is known where it stands."""
INLINE = frozenset((
    "a", "abbr", "b", "bdi", "button", "cite", "em", "font", "g-emoji", "i", "img", "input", "label", "mark", "s",
    "small", "span", "strong", "sub", "sup", "svg", "u",
))  # fmt: skip
CELLS = ("td", "th")
NEVER_IN = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "pre", "code", "figure", "picture"))
UNHEARD = frozenset(("sr-only", "visually-hidden"))
"""Classes of words that only screen readers say."""
BUTTONS = {"button": "value", "submit": "value", "reset": "value", "image": "alt"}
"""By the types of inputs, the attribute that names them."""


def mark(root: Tag) -> None:
    """Before what is not shown is taken out: keeps the names that icons have, in empty elements."""
    for tag in reversed(root.find_all(_is_inline)):
        if said := _name(tag):
            place(tag, said)


def place(tag: Tag, name: str) -> None:
    """An icon of that name in place of what `tag` is; a link stays around it."""
    tag.clear()
    if tag.name == "a":
        inner = new("span")
        tag.append(inner)
        tag = inner
    tag.name, tag.attrs = "span", {NAME: name}


def show(root: Tag) -> None:
    """The names of icons that stand in a sentence or are all that a cell of a table holds; the others are left out."""
    found = [(tag, str(tag[NAME])) for tag in root.find_all(_is_kept)]
    words: dict[int, bool] = {}
    shown = [_in_words(tag, name, words) for tag, name in found]
    for (tag, name), seen in zip(found, shown, strict=True):
        tag.attrs = {}
        if seen:
            before, behind = tag.previous_sibling, tag.next_sibling
            tag.string = f"{' ' * _joins(before, -1)}{name}{' ' * _joins(behind, 0)}"


def _is_kept(tag: Tag) -> bool:
    return tag.has_attr(NAME)


def _is_inline(tag: Tag) -> bool:
    return tag.name in INLINE or "-" in tag.name


def _name(tag: Tag) -> str:
    """Of an element that shows no words, such as a screen reader says it; empty where it has none."""
    if tag.name == "img" or tag.get("aria-hidden") == "true" or tag.has_attr("hidden"):
        return ""
    if UNHEARD & set(tag.get_attribute_list("class")):
        before = tag.find_previous_sibling(True)
        between = tag.previous_sibling is before or not str(tag.previous_sibling).strip()
        alone = isinstance(before, Tag) and between and _is_inline(before) and not before.get_text(strip=True)
        said = tag.get_text(" ", strip=True) if alone and before is not None and before.name != "img" else ""
    elif tag.name == "input":
        said = _said(tag, "aria-label", BUTTONS.get(_said(tag, "type").lower(), ""))
    elif tag.name == "svg":
        title = tag.find("title")
        said = _said(tag, "aria-label") or (title.get_text(" ", strip=True) if title is not None else "")
    elif any(_is_seen(one) for one in tag.descendants):
        return ""
    else:
        inner = next((one for one in tag.find_all(True) if UNHEARD & set(one.get_attribute_list("class"))), None)
        kept = tag.find(_is_kept)
        said = _said(tag, "aria-label") or (inner.get_text(" ", strip=True) if inner is not None else "")
        said = said or (str(kept[NAME]) if kept is not None else "") or _said(tag, "title")
    words = said.split()
    return " ".join(words) if len(words) <= WORDS_IN_ALT and any(c.isalnum() for c in said) else ""


def _is_seen(one: PageElement) -> bool:
    """Whether a reader sees something of it: signs for private use are an icon's, drawn by its font."""
    if isinstance(one, Tag):
        return one.name == "img"
    if isinstance(one, PreformattedString) or not isinstance(one, NavigableString):
        return False
    around = one.parent
    while around is not None and _is_inline(around) and around.name != "svg":
        if UNHEARD & set(around.get_attribute_list("class")):
            return False
        around = around.parent
    drawn = around is not None and around.name in ("svg", "title", "desc")
    return not drawn and any(not c.isspace() and unicodedata.category(c) != "Co" for c in one)


def _said(tag: Tag, *names: str) -> str:
    return next((said for name in names if isinstance(said := tag.get(name), str) and said.strip()), "")


def _in_words(tag: Tag, name: str, words: dict[int, bool]) -> bool:
    """`words` are kept between calls: whether an element says something in its own line."""
    around = [tag, *_around(tag)]
    block = around[-1].parent
    if block is None or NEVER_IN & {block.name, *(one.name for one in block.parents)}:
        return False
    for one in (*around[1:], block):
        if id(one) not in words:
            words[id(one)] = any(any(c.isalnum() for c in _text(child)) for child in one.contents)
    control = next((one for one in around[1:] if one.name in ("a", "button")), None)
    if control is not None and words[id(control)]:
        return False  # what it leads to is said, and the icon is an ornament
    if not any(words[id(one)] for one in (*around[1:], block)):
        return block.name in CELLS and control is None
    before, behind = (one.strip().casefold() for one in (_text(tag.previous_sibling), _text(tag.next_sibling)))
    return not (before.endswith(name.casefold()) or behind.startswith(name.casefold()))


def _around(tag: Tag) -> Iterator[Tag]:
    for one in tag.parents:
        if not _is_inline(one):
            return
        yield one


def _text(one: PageElement | None) -> str:
    """What it says in the same line."""
    if isinstance(one, Tag):
        return one.get_text() if _is_inline(one) else ""
    return str(one) if isinstance(one, NavigableString) and not isinstance(one, PreformattedString) else ""


def _joins(beside: PageElement | None, at: int) -> bool:
    """Whether its letters would run into a word beside it."""
    text = _text(beside)
    return bool(text) and text[at].isalnum()
