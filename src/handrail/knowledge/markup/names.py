"""Names of tags, components and attributes, by what a reader sees of them."""

from __future__ import annotations

from collections.abc import Mapping

PARAGRAPHS = frozenset((
    "p", "div", "section", "article", "main", "center", "header", "footer", "aside", "nav", "form", "fieldset",
    "address", "hgroup", "picture", "figure",
))  # fmt: skip
HIDDEN = frozenset((
    "head", "title", "iframe", "video", "audio", "object", "canvas", "select", "datalist", "template", "input",
    "textarea", "map",
))  # fmt: skip
WRAPPED = {"b": "**", "strong": "**", "i": "*", "em": "*", "del": "~~", "s": "~~"}
TITLES = ("title", "label", "heading", "header", "summary")
"""Attributes that a component shows above what it holds."""
TEXTS = ("description", "text", "caption", "content")
UNSEEN = frozenset((
    "id", "key", "class", "className", "style", "href", "src", "to", "url", "link", "icon", "size", "width", "height",
    "color", "variant", "target", "rel", "slot", "lang", "alt", "type", "align", "layout", "theme", "loading", "as",
    "ref",
))  # fmt: skip
"""Attributes of a component that are no words."""
UNNAMED = frozenset(("callout", "admonition", "aside", "alert", "banner", "notification"))
"""Notes whose name says nothing to a reader."""
COLOURS = frozenset(("info", "warning", "danger", "error", "success", "tip", "note"))
KEYS = ("key", "kbd", "shortcut", "hotkey", "keys")
SILENT = ("icon", "logo", "image", "img", "br", "spacer", "toc", "picture")
"""Ends of the names of components that show no words."""


def kind_of(said: Mapping[str, str], name: str) -> str:
    """What a note is called that has no title: by its attributes, or else by the name of its tag."""
    kinds = (said[key] for key in ("type", "kind", "variant", "intent", "status") if said.get(key, "").isalpha())
    colours = (said[key] for key in ("color",) if said.get(key, "") in COLOURS)
    return next(kinds, "") or next(colours, "") or ("note" if name in UNNAMED else name)
