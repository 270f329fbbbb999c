"""Names of tags, components and attributes, by what a reader sees of them."""

from __future__ import annotations

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
KEYS = ("key", "kbd", "shortcut", "hotkey", "keys")
SILENT = ("icon", "logo", "image", "img", "br", "spacer", "toc", "picture")
"""Ends of the names of components that show no words."""
