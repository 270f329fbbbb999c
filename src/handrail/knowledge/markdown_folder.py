"""Folders of Markdown or MDX files with optional front matter."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import frontmatter
import yaml

from handrail.errors import KnowledgeError
from handrail.knowledge import Article, Rejected

SUFFIXES = {".md", ".markdown", ".mdx"}
FIRST_HEADING = re.compile(r"\A\s*#\s+(.+?)\s*#*\s*$", re.M)
MDX_LINE = re.compile(r"^(?:import|export)\s.+$|^\s*\{/\*.*?\*/\}\s*$", re.M)
RELATIVE_LINK = re.compile(r"!?\[([^\]\n]*)\]\((?!https?:|mailto:)[^)\n]*\)")
UNSAFE = re.compile(r"[^a-z0-9._-]+")


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
        try:
            post = frontmatter.loads(text)
        except (yaml.YAMLError, ValueError) as error:
            raise KnowledgeError(f"the front matter is not valid YAML: {error}") from None
        body = _without_mdx(post.content) if path.suffix.lower() == ".mdx" else post.content
        heading = FIRST_HEADING.match(body)
        if heading:
            body = body[heading.end() :]
        body = RELATIVE_LINK.sub(r"\1", body)
        parts = [UNSAFE.sub("-", part.lower()) for part in relative.with_suffix("").parts]
        if parts[-1] == "index" and len(parts) > 1:
            parts.pop()
        title = str(post.get("title") or (heading and heading.group(1)) or parts[-1].replace("-", " ").capitalize())
        facets = {key: str(post[key]) for key in ("section", "lang", "audience") if post.get(key)}
        url = str(post.get("url") or f"{self._url_base}/{'/'.join(parts)}")
        return Article(":".join(parts), title.strip(), body.strip(), url, facets)

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


def _without_mdx(text: str) -> str:
    """Drop imports, exports, comments and component tags; keep what is inside them."""
    text = MDX_LINE.sub("", text)
    return re.sub(r"^\s*</?[A-Z][\w.]*(?:\s[^>\n]*)?/?>\s*$", "", text, flags=re.M)
