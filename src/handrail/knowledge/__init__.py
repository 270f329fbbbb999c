"""From articles to an index: loaders, chunker, and a writer that only touches what changed."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from handrail.types import Place


class Pages(Protocol):
    """Pictures of the pages of a document."""

    digest: str
    """Changes with what they show."""

    def draw(self, pages: Collection[int], folder: Path) -> Mapping[int, tuple[int, int]]:
        """Write `N.webp` for those of the pages that there is a picture of; their widths and heights in pixels.

        Raises KnowledgeError, MissingExtra and OSError.
        """
        ...


@dataclass(frozen=True, slots=True)
class Article:
    """One help article as it was loaded."""

    id: str
    """Stable slug such as `domains:connect-a-domain`."""
    title: str
    body: str
    """Markdown without the title."""
    url: str
    facets: Mapping[str, str] = field(default_factory=dict)
    """Values that `filters` can select by, such as `section`."""
    places: Mapping[int, tuple[Place, ...]] = field(default_factory=dict)
    """Where each line of `body` stands in the document it was read from, by its number from 0."""
    pages: Pages | None = None
    """None for what has no pages, and where no pictures of them are wanted."""

    @property
    def digest(self) -> str:
        """Changes whenever anything the index holds of this article would change."""
        places = (repr(sorted(self.places.items())),) if self.places else ()
        pages = (self.pages.digest,) if self.pages is not None else ()
        parts = (self.id, self.title, self.url, self.body, repr(sorted(self.facets.items())), *places, *pages)
        return hashlib.sha256("\x00".join(parts).encode()).hexdigest()[:20]


@dataclass(frozen=True, slots=True)
class Rejected:
    """A file or row that could not be used, and why; the others go on."""

    where: str
    why: str


@dataclass(frozen=True, slots=True)
class Unpublished:
    """A page that must not be indexed, and leaves the index if it is there."""

    id: str
    where: str
    why: str
    """What the page says of itself, such as `draft: true`."""


@dataclass(frozen=True, slots=True)
class Skipped(Rejected):
    """Something in the folder that is never read, such as a link that leads out of it: it is not missed, either."""


class Loader(Protocol):
    def articles(self) -> Iterator[Article | Rejected | Unpublished]:
        """Every article, and every page that is none.

        Raises KnowledgeError when the source as a whole cannot be read.
        """
        ...
