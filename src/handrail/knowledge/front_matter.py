"""The fields in front of a page: YAML between `---`, TOML between `+++`, or JSON."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Any

import frontmatter
import yaml
from frontmatter.default_handlers import BaseHandler, JSONHandler, YAMLHandler

from handrail.errors import KnowledgeError


class _Toml(BaseHandler):
    """As the library's own, which needs another package than Python's to read TOML."""

    FM_BOUNDARY = re.compile(r"^\+{3,}\s*$", re.MULTILINE)
    START_DELIMITER = END_DELIMITER = "+++"

    def load(self, fm: str) -> dict[str, Any]:
        return tomllib.loads(fm)


HANDLERS: Mapping[str, BaseHandler] = {"YAML": YAMLHandler(), "TOML": _Toml(), "JSON": JSONHandler()}


def led(text: str) -> tuple[Mapping[str, Any], str]:
    """As `split`, for formats in which a text may begin in other ways: only between lines of `---` or `+++`."""
    begun = text.replace("\r\n", "\n").lstrip()
    return split(text) if begun.startswith(("---\n", "+++\n")) else ({}, text)


def split(text: str) -> tuple[Mapping[str, Any], str]:
    """The fields, by their names in lower case, and the body. A block that holds no fields is body.

    Raises KnowledgeError for a block that cannot be read.
    """
    text = text.replace("\r\n", "\n")
    begun = text.lstrip()
    name, handler = next(((n, h) for n, h in HANDLERS.items() if h.detect(begun)), ("", None))
    if handler is None:
        return {}, text
    try:
        fields, body = frontmatter.parse(text, handler=handler)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise KnowledgeError(f"the front matter is not valid {name}: {error}") from None
    return ({str(key).strip().casefold(): value for key, value in fields.items()}, body) if fields else ({}, text)
