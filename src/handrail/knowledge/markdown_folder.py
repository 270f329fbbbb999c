"""Folders of Markdown or MDX files with optional front matter."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from handrail.errors import KnowledgeError
from handrail.knowledge import Article, Rejected, Skipped, Unpublished
from handrail.knowledge.dialects import plain_markdown
from handrail.knowledge.files import files_in, plain_file, printable
from handrail.knowledge.front_matter import split
from handrail.knowledge.publication import NotClear, audience, held_back
from handrail.stores.audience import FACET, Audience
from handrail.text.markdown import OWN_ANCHOR

SUFFIXES = {".md", ".markdown", ".mdx"}
FACETS = ("section", "lang")
FIRST_HEADING = re.compile(r"\s*#[ \t]+(\S[^\n]*)")
RELATIVE_LINK = re.compile(r"!?\[([^\[\]\n]{0,500})\]\((?!https?:|mailto:)[^)\n]{0,1000}\)")
UNSAFE = re.compile(r"[^\w.-]+")


class MarkdownFolder:
    """`root` may be one file or a folder; hidden files and folders, and links that lead out of it, are skipped."""

    def __init__(self, root: Path, url_base: str, max_bytes: int) -> None:
        if not root.exists():
            raise KnowledgeError(f"{root}: no such file or folder")
        self._root = root
        self._url_base = url_base.rstrip("/")
        self._max_bytes = max_bytes

    def articles(self) -> Iterator[Article | Rejected | Unpublished]:
        skipped: list[Skipped] = []
        found = False
        for path in self._paths():
            if isinstance(path, Skipped):
                skipped.append(path)
                yield path
                continue
            found = True
            relative = path.relative_to(self._root.parent if path == self._root else self._root)
            try:
                yield self._read(path, relative)
            except NotClear as error:
                yield Rejected(str(path), str(error))
                yield Unpublished(_id(relative), str(path), "unclear audience")
            except (KnowledgeError, OSError) as error:
                yield Rejected(str(path), str(error))
        if not found:
            why = "".join(f"; skipped {item.where}: {item.why}" for item in skipped[:3])
            raise KnowledgeError(f"{printable(self._root)}: no .md, .markdown or .mdx files found{why}")

    def _paths(self) -> Iterator[Path | Skipped]:
        if self._root.is_dir():
            yield from files_in(self._root, SUFFIXES)
        elif self._root.suffix.lower() in SUFFIXES:
            yield self._root

    def _read(self, path: Path, relative: Path) -> Article | Unpublished:
        said, body = split(self._text(path))
        if why := held_back(said):
            return Unpublished(_id(relative), str(path), why)
        body = plain_markdown(body, mdx=path.suffix.lower() == ".mdx")
        fields = {key: _text(key, said[key]) for key in ("title", "url", *FACETS) if said.get(key)}
        heading = FIRST_HEADING.match(body)
        own = OWN_ANCHOR.sub("", heading[1].rstrip()).rstrip().rstrip("#").rstrip() if heading else ""
        if heading and (fields.get("title") or own).casefold() == own.casefold():
            body = body[heading.end() :]
        body = RELATIVE_LINK.sub(r"\1", body)
        parts = _parts(relative)
        title = fields.get("title") or own or parts[-1].replace("-", " ").capitalize()
        facets = {key: fields[key] for key in FACETS if fields.get(key)}
        if audience(said) is Audience.AGENTS:
            facets[FACET] = Audience.AGENTS.value
        own = f"{self._url_base}/{quote('/'.join(parts))}" if self._url_base else ""
        url = fields.get("url") or own
        return Article(_id(relative), title, body.strip(), url, facets)

    def _text(self, path: Path) -> str:
        try:
            text = plain_file(path, self._max_bytes).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise KnowledgeError(f"not UTF-8 (byte {error.start}); save it as UTF-8") from None
        if "\x00" in text:
            raise KnowledgeError("holds binary data, not Markdown")
        return text


def _parts(relative: Path) -> list[str]:
    parts = [UNSAFE.sub("-", part.lower()) for part in relative.with_suffix("").parts]
    return parts[:-1] if parts[-1] == "index" and len(parts) > 1 else parts


def _id(relative: Path) -> str:
    return ":".join(_parts(relative))


def _text(key: str, value: Any) -> str:
    if isinstance(value, list | dict | set | tuple):
        raise KnowledgeError(f"{key} in the front matter must be a single text, not a list or table")
    return str(value).strip()
