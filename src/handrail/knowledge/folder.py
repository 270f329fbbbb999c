"""Folders of articles, and single files, in any format that is read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from handrail.errors import KnowledgeError, MissingExtra
from handrail.knowledge import Article, Rejected, Skipped, Unpublished
from handrail.knowledge.beside import END, described, fields_of
from handrail.knowledge.files import Walk, named, printable
from handrail.knowledge.formats import FORMATS, Document, format_of
from handrail.knowledge.publication import NotClear
from handrail.knowledge.sites import Site, Sites

ROWS = "rows"
"""The kind of file that holds an article a row."""


class Folder:
    """`root` may be one file or a folder.

    Hidden files and folders are left out. Links that lead out of the folder, and files of other kinds, are skipped and
    named.
    """

    def __init__(self, root: Path, url_base: str, max_bytes: int) -> None:
        if not root.exists():
            raise KnowledgeError(f"{root}: no such file or folder")
        self._root = root
        self._url_base = url_base.rstrip("/")
        self._max_bytes = max_bytes
        self._sites = Sites(root if root.is_dir() else root.parent)
        self.generators: Counter[str] = Counter()
        """Pages read so far, by the generator that they were written for; "" is none that is known."""

    def articles(self) -> Iterator[Article | Rejected | Unpublished]:
        skipped: list[Skipped] = []
        parts: dict[str, list[Path]] = {}
        found = False
        for path in self._paths():
            if isinstance(path, Skipped):
                skipped.append(path)
                yield path
                continue
            found = True
            why = "files about the repository" if self._sites.tells_of_repository(path) else ""
            if why := why or self._site(path).holds_no_page(path):
                parts.setdefault(why, []).append(path)
            else:
                yield from self._read(path)
        for why, paths in parts.items():
            yield named(self._root, f"{why} not read by themselves", paths)
        if not found:
            *kinds, last = FORMATS
            why = "".join(f"; skipped {item.where}: {item.why}" for item in skipped[:3])
            raise KnowledgeError(f"{printable(self._root)}: no {', '.join(kinds)} or {last} files found{why}")

    def _paths(self) -> Iterator[Path | Skipped]:
        if self._root.is_dir():
            walk = Walk(self._root, FORMATS, beside=END)
            yield from walk.files()
            yield from walk.others()
        elif self._root.suffix.lower() in FORMATS:
            yield self._root

    def _site(self, path: Path) -> Site:
        # A file that is named itself is read whatever its name says.
        return self._sites.of(path) if path != self._root else Site(path.parent, self._sites.of(path).generator)

    def _read(self, path: Path) -> Iterator[Article | Rejected | Unpublished]:
        root = self._root.parent if path == self._root else self._root
        site = self._site(path)
        self.generators[site.generator] += 1
        document = Document(path, root, self._url_base, self._max_bytes, site)
        try:
            fields, of_rows = fields_of(path), _kind(path) == ROWS
            for read in format_of(path.suffix.lower()).read(document):
                item = described(read, path, fields, alone=not of_rows)
                yield _typed(item, path) if isinstance(item, Article) else item
        except NotClear as error:
            yield Rejected(str(path), str(error))
            yield Unpublished(document.id, str(path), "unclear audience")
        except (KnowledgeError, MissingExtra, OSError) as error:
            yield Rejected(str(path), str(error))
        except Exception as error:  # the libraries fail on hostile files in ways of their own
            yield Rejected(str(path), f"can't be read ({type(error).__name__}); save it anew")


def _typed(article: Article, path: Path) -> Article:
    """With the kind of file as its type of source, unless it names another."""
    return replace(article, facets={"source_type": _kind(path), **article.facets})


def _kind(path: Path) -> str:
    """The module that reads it."""
    return FORMATS[path.suffix.lower()].partition(":")[0]
