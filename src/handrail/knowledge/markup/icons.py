"""Icons in Markdown, which a generator calls by a name: in the middle of a sentence one stands for a word."""

from __future__ import annotations

import re
from collections.abc import Mapping
from unicodedata import category

SETS = r"material-design|material|mdi|fontawesome-(?:solid|regular|brands)|fontawesome|octicons?|simple"
NAMED = re.compile(rf":(?P<name>(?:{SETS})-[\w-]+):(?:\{{(?P<said>[^{{}}\n]*)\}})?")
"""Icons of Material for MkDocs, with their attributes."""
EMOJI = re.compile(r"(?<![\w:`/\ue001]):(?P<name>[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*):(?![\w:`/\ue000])")
LIQUID = re.compile(r"\{%-?[ \t]*\w*icon[ \t]+(?P<said>[^%\n]{1,300}?)-?%\}")
"""Tags of plug-ins of Jekyll, and of GitHub's own pages."""
SAID = re.compile(r"([\w-]+)\s*=\s*[\"']([^\"'\n]*)[\"']")
FIRST = re.compile(r"[\"']?([\w:-]+)(?!\s*=)")
PREFIX = re.compile(
    rf"(?:i-)?(?:{SETS}|lucide|heroicons|tabler|carbon|fa[srlbd]?|ph|ri|bi)-|[\w-]+:|i-\w+-|(?:{SETS})/"
)
"""The set that an icon is from."""
SIZE = re.compile(r"-\d{2}$")
NAMES = ("aria-label", "title", "label", "alt")
"""Attributes that say what a reader is meant to understand, the first that is there."""
ICONS = ("name", "icon", "glyph")
"""Attributes by which a component takes an icon from its set."""
PICTURED = re.compile(r"!\[[^\[\]\n]*\]\(icon(?::[\w:/-]*)?\)")
IN_HEADING = re.compile(PICTURED.pattern + r"[ \t]?")
CODE = "\ue000"
"""Begins what stands for code that was taken out."""
CALLED = re.compile(r"!\[\]\(icon:(?P<name>[\w:/-]{1,100})\)")
HEADING = re.compile(r"[ \t>]*#{1,6}[ \t]")
BLOCK = re.compile(r"\n(?=[ \t>]*(?:[-*+|#<]|\d+[.)]|$))", re.M)
LOOK = 200
"""Characters around an icon that are looked at."""


def named(said: Mapping[str, str]) -> str:
    """What an element is called; empty where nothing says so, or where it is hidden from those who can't see it."""
    heard = said.get("aria-hidden") != "true"
    return next((said[key] for key in NAMES if said.get(key) and "{" not in said[key]), "") if heard else ""


def pictured(name: str) -> str:
    """A picture that `with_icons` and `without_figures` read."""
    return f"![{' '.join(name.split()).translate(str.maketrans('', '', '[]'))}](icon)" if name.strip() else ""


def says_words(text: str) -> bool:
    """Whether it says something beside icons, of which some are signs for private use in a font of their own."""
    return any(not c.isspace() and (c == CODE or category(c) != "Co") for c in PICTURED.sub("", text))


def without_ornaments(text: str) -> str:
    """What a link or a button says, without icons where it has words."""
    return PICTURED.sub("", text) if says_words(text) else text


def called(name: str) -> str:
    """An icon of which only its name in its set is known, for `with_icons` to say."""
    name = name.strip()
    return f"![](icon:{name})" if re.fullmatch(r"[A-Za-z][\w:/-]{0,99}", name) else ""


def of_component(name: str, said: Mapping[str, str]) -> str:
    """`name` in words, such as `gear icon`; empty for a component that shows no icon."""
    *own, last = name.split() or [""]
    icon = next((said[key] for key in ICONS if said.get(key)), "-".join(own))
    return called(icon) if last.endswith("icon") else ""


def with_icons(text: str) -> str:
    """Icons as pictures with the words that they stand for; those that stand for none are left out.

    One that no attribute names is called by the words of its name where a sentence goes on around it.
    """
    if "{%" in text:
        text = LIQUID.sub(_of_plugin, text)
    if ":" in text:
        text = NAMED.sub(_of_set, text)
    if "](icon:" in text:
        text = CALLED.sub(lambda found: _words(found["name"]) if _in_sentence(found) else "", _close_up(text))
    if "](icon)" in text:
        text = IN_HEADING.sub(lambda found: "" if _in_heading(found) else found[0], text)
    return EMOJI.sub(lambda found: _words(found["name"]) if _in_sentence(found) else found[0], text)


def _of_plugin(found: re.Match[str]) -> str:
    first = FIRST.match(found["said"])
    return pictured(named(dict(SAID.findall(found["said"])))) or (called(first[1]) if first else "")


def _of_set(found: re.Match[str]) -> str:
    return pictured(named(dict(SAID.findall(found["said"] or "")))) or called(found["name"])


def _close_up(text: str) -> str:
    """Without the space behind an icon that stands for nothing."""
    return re.sub(
        CALLED.pattern + "(?P<space> ?)",
        lambda found: found[0] if _in_sentence(found, found.start("space")) else "",
        text,
    )


def _in_heading(found: re.Match[str]) -> bool:
    line = found.string[max(0, found.start() - LOOK) : found.start()].rpartition("\n")[2]
    return HEADING.match(line) is not None


def _words(name: str) -> str:
    return " ".join(re.split(r"[-_:/ ]+", SIZE.sub("", PREFIX.sub("", name, count=1)))).strip()


def _in_sentence(found: re.Match[str], end: int | None = None) -> bool:
    """Whether words stand before it and the sentence goes on behind it: else it adorns a line or a label."""
    end = found.end() if end is None else end
    if _in_heading(found):
        return False
    before = found.string[max(0, found.start() - LOOK) : found.start()]
    before = BLOCK.split(before)[-1].rstrip()
    behind = BLOCK.split(found.string[end : end + LOOK])[0]
    if behind[:1].isalnum():
        return False  # the word that it is glued to is its label
    behind = behind.lstrip()[:1]
    return (before[-1:].isalpha() or before[-1:] in (",", "(")) and (
        behind in tuple(".,;:!?)") or (behind.isalnum() and not behind.isupper())
    )
