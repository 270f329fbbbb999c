"""The kinds of files that articles are read from: one file here for each, found by the suffix of a name."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Protocol
from urllib.parse import quote

from handrail.errors import KnowledgeError
from handrail.knowledge import Article, Rejected, Unpublished
from handrail.knowledge.files import plain_file
from handrail.knowledge.sites import Site

UNSAFE = re.compile(r"[^\w.-]+")
FORMATS: Mapping[str, str] = {
    ".md": "markdown:Markdown",
    ".markdown": "markdown:Markdown",
    ".mdx": "markdown:Markdown",
    ".txt": "plain:Plain",
    ".text": "plain:Plain",
    ".csv": "rows:Rows",
    ".tsv": "rows:Rows",
    ".jsonl": "rows:Rows",
    ".ndjson": "rows:Rows",
    ".json": "blocks:Blocks",
    ".pdf": "pdf:Pdf",
    ".docx": "docx:Docx",
    ".html": "html:Html",
    ".htm": "html:Html",
    ".rst": "rst:Rst",
}
"""Module in this folder and class by the lower-case suffix; a module is imported when a file needs it."""


@dataclass(frozen=True, slots=True)
class Document:
    """One file of a source."""

    path: Path
    root: Path
    """The folder that the source is, or that the one file it is lies in."""
    url_base: str
    """Without a slash at the end; empty where the site isn't known."""
    max_bytes: int
    site: Site | None = None
    """The generator that it was written for; None where that wasn't looked for."""

    @property
    def relative(self) -> Path:
        return self.path.relative_to(self.root)

    @property
    def parts(self) -> tuple[str, ...]:
        """The path as ids and addresses spell it; an index file stands for its folder."""
        parts = [UNSAFE.sub("-", part.lower()) for part in self.relative.with_suffix("").parts]
        return tuple(parts[:-1] if parts[-1] == "index" and len(parts) > 1 else parts)

    @property
    def id(self) -> str:
        return ":".join(self.parts)

    @property
    def url(self) -> str:
        """The address that the path gives; empty without `url_base`."""
        return f"{self.url_base}/{quote('/'.join(self.parts))}" if self.url_base else ""

    @property
    def name(self) -> str:
        """A title for want of a better one."""
        return self.parts[-1].replace("-", " ").capitalize()

    def data(self) -> bytes:
        """Raises KnowledgeError for what is no plain file or too large, OSError as the system does."""
        return plain_file(self.path, self.max_bytes)

    def text(self) -> str:
        """UTF-8, or UTF-16 with a byte order mark. Raises KnowledgeError for any other, and as `data` does."""
        data = self.data()
        marked = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        encoding = "utf-16" if marked else "utf-8-sig"
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError as error:
            name = "UTF-16" if marked else "UTF-8"
            raise KnowledgeError(f"not {name} (byte {error.start}); save it as UTF-8") from None
        if "\x00" in text:
            raise KnowledgeError("holds binary data, not text")
        return text


class Format(Protocol):
    """How files of one kind are read."""

    suffixes: frozenset[str]

    def read(self, document: Document) -> Iterator[Article | Rejected | Unpublished]:
        """The articles of one file, with bodies in Markdown. Raises KnowledgeError, MissingExtra or OSError."""
        ...


@cache
def format_of(suffix: str) -> Format:
    """For a lower-case suffix of FORMATS."""
    module, name = FORMATS[suffix].split(":")
    made: Format = getattr(import_module(f"{__name__}.{module}"), name)()
    return made
