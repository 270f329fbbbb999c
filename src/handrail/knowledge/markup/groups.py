"""Groups of code blocks of which a reader sees one at a time: each becomes a tab with its label."""

from __future__ import annotations

import re
from collections.abc import Iterator

from handrail.knowledge.markup.code import stretches
from handrail.knowledge.markup.marks import TABBED, tag

NAME = r"(?:code-?group|code-?tabs|request-?example|response-?example|code-?blocks)"
OPENS = re.compile(rf"[ \t]*(?:<{NAME}\b[^>]*(?<!/)>|:{{2,}} ?{NAME}\b.*)[ \t]*$", re.I)
CLOSES = re.compile(rf"[ \t]*(?:</{NAME}>|:{{2,}})[ \t]*$", re.I)
TAB = re.compile(r"[ \t]*@tab(?::\w+)? (\S.*)$")
"""VuePress names the tab in a line above its code."""
INFO = re.compile(r"[ \t>]*(?:[-*+][ \t]+)?(?:`{3,}|~{3,})[ \t]*([^\s{\[`]*)[ \t]*(.*)$")
NAMED = re.compile(r"(?:title|tab|label|name|filename)=(?:\"([^\"]*)\"|'([^']*)'|\{[\"']([^\"']*)[\"']\})")
BRACKETS = re.compile(r"\[([^\]]+)\]")
MARKED = re.compile(
    r"\{[^{}]*\}|\b[\w-]+=(?:\"[^\"]*\"|'[^']*'|\{[^{}]*\}|\S+)|\b(?:theme|lines|wrap|icon|expandable|copy)\b|:[\w-]+"
)


def grouped(text: str) -> str:
    """Code must still be in it."""
    if not re.search(NAME, text, re.I):
        return text
    return "\n".join(_written(text))


def _written(text: str) -> Iterator[str]:
    inside = ""
    named = ""
    for code, part in stretches(text):
        if code and inside:
            indent = part[: len(part) - len(part.lstrip(" \t"))]
            label = named or label_of(part.split("\n", 1)[0])
            named = ""
            yield f"{indent}{tag(TABBED, label)}\n\n{part}\n\n{indent}</{TABBED}>" if label else part
            continue
        if code:
            yield part
            continue
        kept: list[str] = []
        for line in part.split("\n"):
            if inside and (tabbed := TAB.match(line)):
                named = tabbed[1].strip()
                continue
            if not inside and OPENS.match(line):
                inside = line.strip()
                kept.append(line if inside.startswith("<") else f"{line[: len(line) - len(line.lstrip())]}<CodeGroup>")
            elif inside and CLOSES.match(line):
                kept.append(line if inside.startswith("<") else f"{line[: len(line) - len(line.lstrip())]}</CodeGroup>")
                inside = ""
            else:
                kept.append(line)
        yield "\n".join(kept)


def label_of(fence: str) -> str:
    """What a site shows over a block of code: `bash [npm]`, `bash title="npm"`, `bash npm`, or the language."""
    found = INFO.match(fence)
    if found is None:
        return ""
    language, said = found[1], found[2]
    if named := NAMED.search(said):
        return next(one for one in named.groups() if one is not None)
    if brackets := BRACKETS.search(said):
        return brackets[1].strip()
    return " ".join(MARKED.sub("", said).split()) or language


def labels_of(values: str) -> dict[str, str]:
    """Docusaurus: `values={[{label: 'Mac', value: 'mac'}]}`."""
    pairs = re.findall(r"label:\s*['\"]([^'\"]+)['\"],\s*value:\s*['\"]([^'\"]+)['\"]", values)
    return {value: label for label, value in pairs}
