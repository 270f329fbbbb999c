"""Where pictures of a document's pages come from: the PDF itself, or pictures beside a parsed document."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from handrail.errors import KnowledgeError
from handrail.knowledge.files import PAGES, plain_file
from handrail.knowledge.formats import Document
from handrail.knowledge.formats.apart import run_apart

DRAW = "handrail.knowledge.formats.draw"
AT_ONCE = 50
"""Pages that are drawn within the time of one document."""
MOST_BYTES = 20_000_000
"""Of a picture that is given."""
MOST_PICTURES = 2000
NUMBER = re.compile(r"(\d{1,6})\.(?:png|jpe?g|webp|tiff?)", re.IGNORECASE)
"""Ends the name of a picture in the folder beside a document: `1.png`, `page-2.png`."""


class PdfPages:
    def __init__(self, document: Document, data: bytes) -> None:
        self._document = document
        self.digest = hashlib.sha256(data).hexdigest()

    def draw(self, pages: Collection[int], folder: Path) -> Mapping[int, tuple[int, int]]:
        data = self._document.data()
        if hashlib.sha256(data).hexdigest() != self.digest:
            raise KnowledgeError("the file changed while it was read")
        sizes: dict[int, tuple[int, int]] = {}
        wanted = sorted(pages)
        for start in range(0, len(wanted), AT_ONCE):
            some = ",".join(map(str, wanted[start : start + AT_ONCE]))
            sizes |= _sizes(run_apart(DRAW, "pdf", "pypdfium2", data, str(folder), some))
        return sizes


class GivenPages:
    def __init__(self, pictures: Mapping[int, Path], why: str = "") -> None:
        """By page, from 1; `why` there are none, where some were named."""
        self._pictures = pictures
        self._why = why
        told = (f"{page}:{_digest(path)}" for page, path in sorted(pictures.items()))
        self.digest = hashlib.sha256("\n".join((why, *told)).encode()).hexdigest()

    def draw(self, pages: Collection[int], folder: Path) -> Mapping[int, tuple[int, int]]:
        sizes: dict[int, tuple[int, int]] = {}
        if self._why:
            raise KnowledgeError(self._why)
        wanted = [page for page in sorted(pages) if page in self._pictures and _digest(self._pictures[page])]
        for start in range(0, len(wanted), AT_ONCE):
            some = {page: str(self._pictures[page].resolve()) for page in wanted[start : start + AT_ONCE]}
            sizes |= _sizes(run_apart(DRAW, "pictures", "PIL", json.dumps(some).encode(), str(folder)))
        return sizes


def _sizes(said: Mapping[str, Any]) -> dict[int, tuple[int, int]]:
    return {int(page): (width, height) for page, (width, height) in said["sizes"].items()}


def given(document: Document, said: Any, *, from_zero: bool) -> GivenPages | None:
    """Pictures that a parsed document names, else those in the folder beside it.

    `said` is its list of pages: paths, or objects with `image` and `page`, which may be counted `from_zero`. What lies
    outside of the source is not read.
    """
    named = dict(_named(document, said, from_zero)) if isinstance(said, list) else {}
    found = named or dict(_beside(document.path.with_suffix(PAGES)))
    inside = {page: path for page, path in found.items() if path.resolve().is_relative_to(document.root.resolve())}
    why = "they lie outside of the article folder" if found and not inside else ""
    return GivenPages(inside, why) if found else None


def _named(document: Document, said: list[Any], from_zero: bool) -> Iterator[tuple[int, Path]]:
    for at, one in enumerate(said[:MOST_PICTURES], not from_zero):
        path, page = (one.get("image"), one.get("page", at)) if isinstance(one, Mapping) else (one, at)
        if isinstance(path, str) and path and type(page) is int:
            yield page + from_zero, document.path.parent / path


def _beside(folder: Path) -> Iterator[tuple[int, Path]]:
    for path in sorted(folder.iterdir())[:MOST_PICTURES] if folder.is_dir() else ():
        if (found := NUMBER.search(path.name)) and path.is_file():
            yield int(found[1]), path


def _digest(path: Path) -> str:
    """Empty for what can't be read; it is not drawn, either."""
    try:
        return hashlib.sha256(plain_file(path, MOST_BYTES)).hexdigest()
    except (KnowledgeError, OSError):
        return ""
