"""What Markdown keeps apart from where it is read: addresses of links, and footnotes."""

from __future__ import annotations

import re
from functools import partial

LINK = re.compile(
    r"^ {0,3}\[(?!\^)([^\[\]\n]{1,300})\]:[ \t]*\n?[ \t]*(?:<([^<>\n]{0,2000})>|([^\s<]\S{0,2000}))"
    r"(?:[ \t]+(?:\"[^\"\n]{0,300}\"|'[^'\n]{0,300}'|\([^()\n]{0,300}\)))?[ \t]*$",
    re.M,
)
PICTURE = r"!\[[^\[\]\n]{0,300}\](?:\([^()\n]{0,500}\))?"
USED = re.compile(rf"\[((?:[^\[\]\n]|\n(?![ \t]*\n)|{PICTURE}){{1,500}})\](?:\[([^\[\]\n]{{0,300}})\]|(?![\[(:]))")
NOTE = re.compile(r"^ {0,3}\[\^([^\[\]\s]{1,100})\]:[ \t]*(.*(?:\n(?:[ \t]{2,}\S.*|[ \t]*(?=\n[ \t]{2,}\S)))*)", re.M)
MARK = re.compile(r"(?P<space>[ \t]?)\[\^([^\[\]\s]{1,100})\](?!:)")
LONGEST = 250
"""Characters of a footnote that is read where its mark stands."""
ENDS = re.compile(r"[.!?][)*_\"”]*\s+\S")
HEADING = re.compile(r"[ \t>]*#{1,6}[ \t]")


def resolved(text: str) -> str:
    """With links as they are written in a line, and short footnotes in brackets where they belong.

    A long footnote stands where the page defines it, without its mark. Code must have been taken out.
    """
    if "[^" in text and "]:" in text:
        text = _with_notes(text)
    if "]:" not in text:
        return text
    addresses = {_label(found[1]): found[2] or found[3] or "" for found in reversed(list(LINK.finditer(text)))}
    if not addresses:
        return text

    def linked(found: re.Match[str]) -> str:
        address = addresses.get(_label(found[2] or found[1]))
        return found[0] if address is None else f"[{found[1]}]({address})"

    return USED.sub(linked, LINK.sub("", text))


def _with_notes(text: str) -> str:
    notes = {found[1]: " ".join(found[2].split()) for found in NOTE.finditer(text)}
    if not notes:
        return text
    brief = {key: note for key, note in notes.items() if len(note) <= LONGEST and not ENDS.search(note)}
    shown: set[str] = set()
    known: set[str] = set()

    def at_mark(line: str, found: re.Match[str]) -> str:
        key = found[2]
        if key not in notes:
            return found[0]
        known.add(key)
        if key in shown or key not in brief or HEADING.match(line):
            return ""
        shown.add(key)
        said = brief[key].rstrip(".")
        return f" ({said.replace('|', '/') if line.lstrip().startswith('|') else said})"

    prose = NOTE.sub(lambda found: f"\ue004{found[1]}\ue004", text)
    lines = [MARK.sub(partial(at_mark, line), line) for line in prose.split("\n")]
    return re.sub(
        "\ue004([^\ue004]*)\ue004",
        lambda found: notes[found[1]] if found[1] in known - shown else "",
        "\n".join(lines),
    )


def _label(said: str) -> str:
    return " ".join(said.split()).casefold()
