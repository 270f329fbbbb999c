"""Shortcodes of Hugo (`{{< note >}}`, `{{% tab "Linux" %}}`) as what they show: notes, tabs, code, and words.

A site defines most of them itself. Those whose template only repeats what it is given are rendered; of the others, what
they surround and the words among their parameters stay.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

import yaml

from handrail.knowledge.markup.icons import ICONS, called, named, pictured
from handrail.knowledge.markup.marks import KINDS, NOTE, TABBED, tag

CODE = re.compile(r"^([ \t]*)\{\{[<%]\s*(?:highlight|code)\b([^\n]*?)[>%]\}\}[ \t]*\n", re.M)
END_OF_CODE = re.compile(r"^[ \t]*\{\{[<%]\s*/(?:highlight|code)\s*[>%]\}\}", re.M)
SHORTCODE = re.compile(
    r"\{\{(?P<mark>[<%])[ \t\r\n]*(?P<end>/?)[ \t]*(?P<name>[A-Za-z][\w./-]*)"
    r"(?P<said>(?:\s+(?:\"(?:[^\"\\]|\\.)*\"|`[^`]*`|[\w.-]+\s*=\s*(?:\"(?:[^\"\\]|\\.)*\"|`[^`]*`|[^\s\"`<>]+)|[^\s\"`<>=%]+))*)"
    r"\s*/?\s*[>%]\}\}"
)
SHOWN = re.compile(r"\{\{([<%])/\*([^{}]{0,500}?)\*/([>%])\}\}")
"""A shortcode that a page shows as it is written."""
ARGUMENT = re.compile(r"(?:([\w.-]+)\s*=\s*)?(?:\"((?:[^\"\\]|\\.)*)\"|`([^`]*)`|([^\s\"`]+))")
ACTION = re.compile(r"\{\{-?\s*(.*?)\s*-?\}\}", re.S)
GIVEN = re.compile(r"\(?\s*\.Get\s+(?:\"([\w.-]+)\"|(\d+))\s*\)?(?:\s*\|\s*\w+)*|\.Get\s+\d+")
INNER = re.compile(r"\(?\s*\.Inner\s*\)?(?:\s*\|\s*[\w.]+)*|\.Page\.RenderString\s+\.Inner|markdownify\s+\.Inner")
I18N = re.compile(r"\(?\s*(?:i18n|T)\s+\"([\w.-]+)\"\s*\)?(?:\s*\|\s*\w+)*")
COMMENT = re.compile(r"\{\{-?\s*/\*.*?\*/\s*-?\}\}", re.S)
TABS = frozenset(("tab", "tabitem", "tab-item", "codetab"))
FOLDED = frozenset(("details", "expand", "collapse", "accordion", "accordion-item", "collapsible", "dropdown", "faq"))
SILENT = frozenset((
    "figure", "image", "img", "images", "picture", "video", "youtube", "vimeo", "gist", "tweet", "x", "instagram",
    "bilibili", "iframe", "icon", "toc", "mermaid", "gallery", "audio", "comment", "page-ref", "section", "children",
))  # fmt: skip
"""What shows a picture or a film, or lists other pages."""
FONTS = frozenset(("fa", "fas", "far", "fab", "fontawesome", "material", "octicon", "bi"))
"""What shows an icon of a font of icons."""
LABELS = ("title", "header", "heading", "label", "name", "summary")
WORDS = (*LABELS, "caption", "text", "content", "description", "linktitle")
KIND = ("type", "style", "kind", "color", "variant", "status", "level")
SAME = {"primary": "note", "secondary": "note", "success": "success"}
Read = Callable[[str], str | None]
"""The text of a file of the site by its path; None where there is none."""
MOST_CHARS = 200_000
"""Of a template."""
MOST_NESTED = 50
"""Shortcodes in one another; each copies what it surrounds."""


@dataclass(frozen=True, slots=True)
class _Call:
    name: str
    named: Mapping[str, str]
    placed: tuple[str, ...]

    def first(self, keys: tuple[str, ...]) -> str:
        return next((self.named[key] for key in keys if self.named.get(key)), "")


@dataclass(slots=True)
class Shortcodes:
    """Of one page. `read` gives files of the site; `params` are what its configuration and the page set."""

    read: Read
    params: Mapping[str, Any] = field(default_factory=dict)
    lang: str = "en"
    _templates: dict[str, str | None] = field(default_factory=dict)
    _words: dict[str, str] | None = None

    def code(self, text: str) -> str:
        """With blocks of highlighted code as fences. Before code is taken out."""
        parts: list[str] = []
        at = 0
        while (begins := CODE.search(text, at)) and (ends := END_OF_CODE.search(text, begins.end())):
            parts += (text[at : begins.start()], _fence(begins, text[begins.end() : ends.start()]))
            at = ends.end()
        return "".join((*parts, text[at:]))

    def shown(self, text: str, hold: Callable[[str], str]) -> str:
        """Code must have been taken out. `hold` keeps code away from what reads the text later."""
        text = SHOWN.sub(lambda found: hold(f"`{{{{{found[1]}{found[2]}{found[3]}}}}}`"), text)
        found = list(SHORTCODE.finditer(text))
        ends: dict[str, int] = {}
        for one in found:
            if one["end"]:
                ends[one["name"].lower()] = ends.get(one["name"].lower(), 0) + 1
        parts: list[str] = []
        opened: list[tuple[str, str, list[str]]] = []
        at = 0
        labels: list[str] = []
        for one in found:
            parts.append(text[at : one.start()])
            at = one.end()
            name = one["name"].lower()
            if one["end"]:
                ends[name] -= 1
                depth = next((n for n in range(len(opened) - 1, -1, -1) if opened[n][0] == name), -1)
                for _, end, around in reversed(opened[depth:] if depth >= 0 else []):
                    inner = "".join(parts)
                    parts = [*around, end.replace("\0", inner)]
                del opened[depth if depth >= 0 else len(opened) :]
                continue
            call = _call(name, one["said"])
            if name == "tabs":
                labels = [item.strip() for item in call.first(("items",)).split(",") if item.strip()]
            closes = ends.get(name, 0) > sum(held == name for held, _, _ in opened)
            if closes and len(opened) < MOST_NESTED:
                label = labels.pop(0) if name in TABS and labels and not call.named and not call.placed else ""
                opened.append((name, self._around(call, label), parts))
                parts = []
            else:
                parts.append(self._alone(call))
        rest = "".join((*parts, text[at:]))
        for _, end, around in reversed(opened):
            rest = "".join(around) + end.replace("\0", rest)
        return rest

    def _around(self, call: _Call, label: str) -> str:
        """What is written for a shortcode, with a zero character where what it surrounds stands."""
        words = [one for one in call.placed if one.lower() not in KINDS]
        kind = (call.first(KIND) or next((one for one in call.placed if one.lower() in KINDS), "")).lower()
        kind = SAME.get(kind, kind)
        title = label or call.first(LABELS)
        if call.name in KINDS and call.name not in FOLDED:
            return _tagged(NOTE, title or next(iter(words), "") or (kind if kind in KINDS else call.name).capitalize())
        if call.name in TABS:
            return _tagged(TABBED, title or next(iter(words), ""))
        if call.name in FOLDED:
            return _folded(title or next(iter(words), ""))
        if call.name in SILENT:
            return ""
        if (made := self._rendered(call, "\0")) is not None:
            return made
        return _folded(call.named["title"]) if call.named.get("title") else "\0"

    def _alone(self, call: _Call) -> str:
        if call.name in ("ref", "relref"):
            return call.first(("path", "ref")) or next(iter(call.placed), "")
        if call.name == "param":
            said = self.params.get(next(iter(call.placed), "").lower())
            return str(said) if isinstance(said, str | int | float) else ""
        if call.name in SILENT:
            said = pictured(named(call.named))
            icon = call.first(ICONS) or next(iter(call.placed), "")
            return said or (called(icon) if call.name == "icon" else "")
        if (made := self._rendered(call, "")) is not None:
            return made
        return call.first(WORDS) or (called(" ".join(call.placed[-1:])) if call.name in FONTS else "")

    def _rendered(self, call: _Call, inner: str) -> str | None:
        """By the template of the site; None where it does more than to repeat what it is given."""
        template = self._template(call.name)
        if template is None:
            return None
        for found in ACTION.finditer(template):
            if not any(rule.fullmatch(found[1]) for rule in (GIVEN, INNER, I18N)):
                return None
        return ACTION.sub(lambda found: self._value(found[1], call, inner), template)

    def _value(self, action: str, call: _Call, inner: str) -> str:
        if given := GIVEN.fullmatch(action):
            place = int(given[2]) if given[2] else -1
            return call.named.get(given[1] or "", "") if place < 0 else "".join(call.placed[place : place + 1])
        if said := I18N.fullmatch(action):
            return self._translated(said[1])
        return inner

    def _template(self, name: str) -> str | None:
        if name not in self._templates:
            places = (f"layouts/{folder}/{name}.html" for folder in ("shortcodes", "_shortcodes"))
            text = next((found for place in places if (found := self.read(place)) is not None), None)
            self._templates[name] = COMMENT.sub("", text) if text is not None and len(text) < MOST_CHARS else None
        return self._templates[name]

    def _translated(self, key: str) -> str:
        if self._words is None:
            self._words = {}
            for end, load in (("toml", tomllib.loads), ("yaml", yaml.safe_load), ("yml", yaml.safe_load)):
                try:
                    said = load(self.read(f"i18n/{self.lang}.{end}") or "")
                except (ValueError, yaml.YAMLError, RecursionError):
                    continue
                for name, value in said.items() if isinstance(said, dict) else ():
                    words = value.get("other") if isinstance(value, dict) else value
                    self._words[str(name)] = words if isinstance(words, str) else ""
        return self._words.get(key, "")


def _call(name: str, said: str) -> _Call:
    named: dict[str, str] = {}
    placed: list[str] = []
    for found in ARGUMENT.finditer(said):
        value = next((one for one in found.groups()[1:] if one is not None), "").replace('\\"', '"')
        if found[1]:
            named[found[1].lower()] = value
        else:
            placed.append(value)
    return _Call(name, named, tuple(placed))


def _tagged(name: str, label: str) -> str:
    return f"{tag(name, label)}\0</{name}>"


def _folded(title: str) -> str:
    return f"<details><summary>{escape(title)}</summary>\0</details>" if title else "\0"


def _fence(found: re.Match[str], code: str) -> str:
    said = found[2].split()
    language = next((one.strip("\"'").removeprefix("lang=").strip("\"'") for one in said), "")
    language = language if re.fullmatch(r"[\w+#-]{1,20}", language) else ""
    body = code.rstrip("\n")
    return f"{found[1]}```{language}\n{body}\n{found[1]}```" if "```" not in body else body
