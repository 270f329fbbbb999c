"""Where each article of a knowledge base came from, so that a sync removes only what its own source brought.

One file in the knowledge base's own folder names the source of each article. What isn't in it was added by hand before
there was such a file. Articles that have left the index stay in it, since an earlier version may come back.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

from handrail.errors import KnowledgeError
from handrail.knowledge import Article, Loader, Rejected, Unpublished
from handrail.knowledge.sources.kept import Kept

BY_HAND, AT_DESK, UNKNOWN = "", "desk", "?"
"""`handrail ingest`; approved at the desk; one of the sources that were synced before this was kept."""
SOURCES = "sources"
"""Folder for what sources need, in a knowledge base's own."""
FILE, PAGES = "origins.json", "pages.sqlite"


@runtime_checkable
class Claiming(Protocol):
    """A loader that knows, once it was read, which source each of its articles is from."""

    @property
    def claims(self) -> Mapping[str, str]:
        """Ids of sources by those of articles."""
        ...


class From:
    """The articles of `loader`, which all come from one source."""

    def __init__(self, loader: Loader, origin: str) -> None:
        self._loader = loader
        self._origin = origin
        self.claims: dict[str, str] = {}

    def articles(self) -> Iterator[Article | Rejected | Unpublished]:
        for item in self._loader.articles():
            if isinstance(item, Article):
                self.claims.setdefault(item.id, self._origin)
            yield item


class Origins:
    """`folder` is the knowledge base's own. Written only by who holds its lock."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / SOURCES
        self._path = self._folder / FILE

    def all(self) -> dict[str, str]:
        """The source of each article.

        Where none was ever kept, what the last sync indexed came from one of the sources, and the rest was added by
        hand. Raises KnowledgeError for a damaged file.
        """
        try:
            found: dict[str, str] = json.loads(self._path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return self._of_before()
        except (OSError, ValueError) as error:
            raise KnowledgeError(
                f"{self._path} can't be read ({type(error).__name__}), so it isn't known which source brought which "
                "article; restore it from a backup, or delete it: what the last sync found then counts as the sources'"
            ) from error
        return found

    def claim(self, loaders: Sequence[Claiming]) -> None:
        """What was read of `loaders`; the first that has an article counts."""
        held = self.all()
        claims: dict[str, str] = {}
        for loader in loaders:
            claims = {**loader.claims, **claims}
        now = {**held, **claims}
        if now != held or not self._path.is_file():
            self._write(now)

    def give_up(self, source: str) -> None:
        """Its articles stay in the index, as if they had been added by hand."""
        self._write({id_: BY_HAND if origin == source else origin for id_, origin in self.all().items()})

    def _write(self, origins: Mapping[str, str]) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        part = self._path.with_suffix(".part")
        part.write_text(json.dumps(origins, ensure_ascii=False), encoding="utf-8")
        part.replace(self._path)

    def _of_before(self) -> dict[str, str]:
        if not (self._folder / PAGES).is_file():
            return {}
        with Kept(self._folder / PAGES) as kept:
            return dict.fromkeys(kept.sizes(), UNKNOWN)
