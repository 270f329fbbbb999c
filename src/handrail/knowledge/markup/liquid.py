"""The Liquid of a Jekyll site: rendered as the site does, with its includes, variables and filters.

Tags that Liquid doesn't know come from plugins: they are left in the text, where blocks of them are read as notes or
tabs and all others are dropped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from liquid import Environment, Mode
from liquid.exceptions import LiquidError, TemplateNotFoundError
from liquid.loader import BaseLoader, TemplateSource

TAG = re.compile(r"\{%-?\s*(\w+)((?:[^%]|%(?!\}))*?)-?%\}")
RAW = re.compile(r"\{%-?\s*raw\s*-?%\}.*?\{%-?\s*endraw\s*-?%\}", re.S)
HIGHLIGHT = re.compile(r"\{%-?\s*highlight\s+([\w+-]+)[^%]*%\}\n?(.*?)\{%-?\s*endhighlight\s*-?%\}", re.S)
INCLUDE = re.compile(r"\s*([\w./-]+)(.*)", re.S)
PARAMETER = re.compile(r"([\w-]+)\s*=\s*(\"[^\"]*\"|'[^']*'|[\w.-]+)")
OWN = re.compile(r"\binclude\.(\w+)")
KNOWN = frozenset((
    "assign", "capture", "endcapture", "case", "when", "endcase", "comment", "endcomment", "cycle", "for", "break",
    "continue", "endfor", "if", "elsif", "else", "endif", "unless", "endunless", "include", "increment", "decrement",
    "echo", "liquid", "tablerow", "endtablerow", "ifchanged", "endifchanged", "raw", "endraw",
))  # fmt: skip
Read = Callable[[str], str | None]
"""The text of an include by its name; None where there is none."""


def rendered(text: str, variables: Mapping[str, Any], read: Read, most_chars: int) -> str:
    """Text that cannot be rendered, such as a tag that nothing ends, is left as it is."""
    if "{%" not in text and "{{" not in text:
        return text

    class Bounded(_Environment):
        output_stream_limit = most_chars

    environment = Bounded(tolerance=Mode.STRICT, strict_filters=False, loader=_Includes(read))
    for name in ("relative_url", "absolute_url", "markdownify", "smartify"):
        environment.add_filter(name, str)
    try:
        return _marks_back(environment.from_string(_prepared(text)).render(**variables))
    except (LiquidError, RecursionError, ValueError, TypeError, ArithmeticError):
        return HIGHLIGHT.sub(_fence, text)


class _Environment(Environment):
    loop_iteration_limit = 10_000
    context_depth_limit = 20
    local_namespace_limit = 2_000_000


class _Includes(BaseLoader):
    def __init__(self, read: Read) -> None:
        self._read = read

    def get_source(
        self, env: Environment, template_name: str, *, context: Any = None, **kwargs: object
    ) -> TemplateSource:
        text = self._read(template_name)
        if text is None:
            raise TemplateNotFoundError(template_name, filename=template_name)
        return TemplateSource(OWN.sub(r"include_\1", _prepared(text)), template_name, None, None)


def _prepared(text: str) -> str:
    """With the includes of Jekyll as Liquid has them, and unknown tags out of its sight."""
    text = HIGHLIGHT.sub(_fence, text)
    parts: list[str] = []
    at = 0
    for found in RAW.finditer(text):
        parts += (TAG.sub(_known, text[at : found.start()]), found[0])
        at = found.end()
    return "".join((*parts, TAG.sub(_known, text[at:])))


def _known(found: re.Match[str]) -> str:
    name, said = found[1], found[2]
    if name in ("include", "include_relative", "include_cached"):
        named = INCLUDE.match(said)
        if named is None:
            return ""
        given = "".join(f", include_{one[1].replace('-', '_')}: {one[2]}" for one in PARAMETER.finditer(named[2]))
        return f'{{% include "{named[1]}"{given} %}}'
    if name in KNOWN:
        return found[0]
    return f"\ue002{found[0][2:-2]}\ue003"


def _marks_back(text: str) -> str:
    return text.replace("\ue002", "{%").replace("\ue003", "%}")


def _fence(found: re.Match[str]) -> str:
    code = found[2].rstrip()
    return f"```{found[1]}\n{code}\n```" if "```" not in code else found[2]
