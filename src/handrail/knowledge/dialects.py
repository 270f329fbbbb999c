"""Dialects of Markdown as plain Markdown: notes, tabs and template tags as a reader of the site would see them.

Known are the notes of Docusaurus (`:::tip`), MkDocs (`!!! note`), GitBook (`{% hint %}`) and GitHub (`> [!NOTE]`), the
tabs of the first three, and the tags of Liquid and kramdown. Code is left as it is.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence

from handrail.knowledge.mdx import FENCE, markdown_of
from handrail.text.markdown import CODE

MODULE = re.compile(r"\s*import\s[^\n]{1,300}\sfrom\s+[\"'][^\"'\n]+[\"'];?[ \t]*(?:\n|\Z)")
"""The beginning of a file that is MDX whatever its name says."""
OPENING = re.compile(
    r"[ \t]*(:{3,})[ \t]*([A-Za-z][\w-]*)[ \t]*(?:\[([^\]\n]*)\]|([^\n{]*))?[ \t]*(?:\{[^{}\n]*\})?[ \t]*$"
)
CLOSING = re.compile(r"[ \t]*:{3,}[ \t]*$")
INDENTED = re.compile(
    r"([ \t]*)(?:(?:!!!|\?\?\?\+?)[ \t]+([\w-]+)(?:[ \t]+\"([^\"\n]*)\")?|===\+?!?[ \t]+\"([^\"\n]+)\")[ \t]*$"
)
HINT = re.compile(r"[ \t]*\{%-?\s*hint\b[^%\n]{0,200}?style=\"([\w-]+)\"[^%\n]{0,200}%\}[ \t]*$")
END_HINT = re.compile(r"[ \t]*\{%-?\s*endhint\s*-?%\}[ \t]*$")
ALERT = re.compile(r"([ \t]*>[ \t]*)\[!([A-Za-z]+)\][ \t]*$")
TAB = re.compile(r"[ \t]*(?:\{%-?\s*tab\b[^%\n]{0,200}?title=\"([^\"\n]+)\"[^%\n]{0,200}%\}|"
                 r"<TabItem\b[^<>\n]{0,300}?\b(?:label|title)=\"([^\"\n]+)\"[^<>\n]{0,300}>)[ \t]*$", re.M)  # fmt: skip
ATTRIBUTES = re.compile(r"[ \t]*\{:[^{}\n]*\}[ \t]*$")
TAG = re.compile(CODE + r"|(\{%-?[^%\n]{0,500}%\}|\{\{-?\s*(?:site|page|include|layout)\b[^{}\n]{0,300}\}\})")
DEEPEST = 8
"""Notes and tabs within each other, beyond which marks are text."""
STEP = 4
"""Spaces by which MkDocs indents what belongs to a note or a tab."""


def plain_markdown(text: str, *, mdx: bool = False) -> str:
    """`text` without the marks of a site's generator. `mdx`: the file says that it is MDX."""
    text = TAB.sub(lambda found: f"\n{_label(found[1] or found[2])}\n", text)
    if mdx or MODULE.match(text):
        text = markdown_of(text)
    return "\n".join(_lines(text.split("\n")))


def _lines(lines: Sequence[str], depth: int = 0) -> Iterator[str]:
    closings = sum(bool(CLOSING.match(line)) for line in lines)
    last = max((number for number, line in enumerate(lines) if END_HINT.match(line)), default=-1)
    quotes, code, at = 0, "", 0
    while at < len(lines):
        line, at = lines[at], at + 1
        quote = "> " * quotes
        fence = FENCE.match(line)
        if code or fence:
            ends = code and line.strip().startswith(code) and not line.strip().strip(code[0])
            code = "" if ends else code or (fence[1] if fence else "")
            yield quote + line
        elif CLOSING.match(line) and quotes:
            quotes, closings = quotes - 1, closings - 1
            yield ("> " * quotes).rstrip()
        elif (found := OPENING.match(line)) and closings > quotes:
            quotes += 1
            yield from ("", f"{quote}> {_label(found[3] or found[4], found[2])}")
        elif (found := HINT.match(line)) and at <= last and depth < DEEPEST:
            end = next(n for n in range(at, last + 1) if END_HINT.match(lines[n]))
            yield from _note(_label("", found[1]), _lines(lines[at:end], depth + 1), quote)
            at = end + 1
        elif (found := INDENTED.match(line)) and depth < DEEPEST:
            end = _end_of_indented(lines, at, len(found[1].expandtabs(STEP)) + STEP)
            inside = textwrap.dedent("\n".join(lines[at:end])).split("\n")
            if found[4]:
                yield from (quote + each for each in ("", _label(found[4]), "", *_lines(inside, depth + 1)))
            else:
                yield from _note(_label(found[3], found[2]), _lines(inside, depth + 1), quote)
            at = end
        elif not ATTRIBUTES.match(line):
            yield quote + _untagged(line)


def _note(label: str, lines: Iterable[str], quote: str) -> Iterator[str]:
    yield quote.rstrip()
    yield f"{quote}> {label}"
    for line in lines:
        yield f"{quote}> {line}".rstrip()
    yield quote.rstrip()


def _end_of_indented(lines: Sequence[str], start: int, width: int) -> int:
    end = start
    for number in range(start, len(lines)):
        line = lines[number].expandtabs(STEP)
        if line.strip():
            if len(line) - len(line.lstrip()) < width:
                break
            end = number + 1
    return end


def _label(title: str | None, kind: str = "") -> str:
    """A title as it is, or the kind, such as `tip`, as `**Tip:**`."""
    said = (title or "").strip().strip("*") or kind.capitalize()
    return f"**{said}**" if said[-1:] in ".!?:" else f"**{said}:**"


def _untagged(line: str) -> str:
    if alert := ALERT.match(line):
        return f"{alert[1]}{_label('', alert[2])}"
    return TAG.sub(lambda found: "" if found[1] else found[0], line)
