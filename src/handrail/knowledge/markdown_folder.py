"""Folders of Markdown or MDX files with optional front matter."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import frontmatter
import yaml

from handrail.errors import KnowledgeError
from handrail.knowledge import Article, Rejected
from handrail.knowledge.mdx import markdown_of

SUFFIXES = {".md", ".markdown", ".mdx"}
FACETS = ("section", "lang", "audience")
FIRST_HEADING = re.compile(r"\s*#[ \t]+(\S[^\n]*)")
RELATIVE_LINK = re.compile(r"!?\[([^\[\]\n]{0,500})\]\((?!https?:|mailto:)[^)\n]{0,1000}\)")
UNSAFE = re.compile(r"[^\w.-]+")


class MarkdownFolder:
    """`root` may be one file or a folder; hidden files and folders are skipped."""

    def __init__(self, root: Path, url_base: str, max_bytes: int) -> None:
        if not root.exists():
            raise KnowledgeError(f"{root}: no such file or folder")
        self._root = root
        self._url_base = url_base.rstrip("/")
        self._max_bytes = max_bytes

    def articles(self) -> Iterator[Article | Rejected]:
        paths = [self._root] if self._root.is_file() else sorted(self._root.rglob("*"))
        found = False
        for path in paths:
            relative = path.relative_to(self._root.parent if self._root.is_file() else self._root)
            hidden = any(part.startswith(".") for part in relative.parts)
            if path.suffix.lower() not in SUFFIXES or hidden or not path.is_file():
                continue
            found = True
            try:
                yield self._article(path, relative)
            except (KnowledgeError, OSError) as error:
                yield Rejected(str(path), str(error))
        if not found:
            raise KnowledgeError(f"{self._root}: no .md, .markdown or .mdx files found")

    def _article(self, path: Path, relative: Path) -> Article:
        text = self._read(path)
        fields, body = _front_matter(text)
        if path.suffix.lower() == ".mdx":
            body = markdown_of(body)
        heading = FIRST_HEADING.match(body)
        own = heading[1].rstrip().rstrip("#").rstrip() if heading else ""
        if heading and fields.get("title", own).casefold() == own.casefold():
            body = body[heading.end() :]
        body = RELATIVE_LINK.sub(r"\1", body)
        parts = [UNSAFE.sub("-", part.lower()) for part in relative.with_suffix("").parts]
        if parts[-1] == "index" and len(parts) > 1:
            parts.pop()
        title = fields.get("title") or own or parts[-1].replace("-", " ").capitalize()
        facets = {key: fields[key] for key in FACETS if key in fields}
        url = fields.get("url") or f"{self._url_base}/{quote('/'.join(parts))}"
        return Article(":".join(parts), title, body.strip(), url, facets)

    def _read(self, path: Path) -> str:
        size = path.stat().st_size
        if size > self._max_bytes:
            raise KnowledgeError(f"{size} bytes is over knowledge.max_article_bytes = {self._max_bytes}")
        try:
            text = path.read_bytes().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise KnowledgeError(f"not UTF-8 (byte {error.start}); save it as UTF-8") from None
        if "\x00" in text:
            raise KnowledgeError("holds binary data, not Markdown")
        return text


def _front_matter(text: str) -> tuple[dict[str, str], str]:
    """The fields that are read, as text, and the body; a block between rules that holds no fields is body."""
    try:
        post = frontmatter.loads(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise KnowledgeError(f"the front matter is not valid YAML: {error}") from None
    fields = {key: _text(key, post[key]) for key in ("title", "url", *FACETS) if post.get(key)}
    return {key: value for key, value in fields.items() if value}, post.content if post.metadata else text


def _text(key: str, value: Any) -> str:
    if isinstance(value, list | dict | set | tuple):
        raise KnowledgeError(f"{key} in the front matter must be one text, not a list or table")
    return str(value).strip()
