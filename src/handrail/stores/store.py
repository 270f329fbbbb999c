"""What a store of passages does for the rest of the product, wherever it keeps them.

A store holds the passages of one knowledge base by one embedder, with their vectors and a few marks. Everything else is
made of that: versions are stores that are switched (`versions.py`), keyword search reads a snapshot (`snapshot.py`).
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

from handrail.errors import IndexIncomplete, KnowledgeError
from handrail.stores.audience import Audience
from handrail.types import Passage, Vectors
from handrail.types.filters import Filters

FRONT_MATTER = 2
"""Version of what is read of front matter: since 1, `draft` and its like, and TOML; since 2, tags, dates and tiers."""
WRITING = "writing"
"""Says in a store's marks since when it is being changed; empty once that is done."""
NEIGHBOURS, BUILD_WIDTH, SEARCH_WIDTH = 32, 200, 400
"""Of the graph (HNSW) that vectors are found by. With Chroma's own 16, 100 and 100 a process now and then found other
passages than the one before (experiment 206): half as long again to index, and no slower to search."""
SEARCH_S, WAITS_S = 5, 300
"""For how long a server is waited for: when it searches for a question, and for anything else."""

Page = tuple[Sequence[Passage], Vectors]
"""Passages and their vectors, `(n, d)` float32."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """What the index holds of one article."""

    digests: Mapping[str, str]
    """Digest of the article by passage id, as it was when the passage was written."""
    expected: int
    """Number of passages the article had then; fewer mean an interrupted run."""

    def current(self, digest: str) -> bool:
        return set(self.digests.values()) == {digest} and len(self.digests) == self.expected


class Store(Protocol):
    """Passages of one knowledge base made with one embedder.

    Whatever the store: RetryableError says that the place it is in doesn't respond, KnowledgeError that vectors have
    another number of dimensions than those it holds. A server that doesn't respond is waited for at most `WAITS_S`
    seconds, and in `search` for `SEARCH_S`.
    """

    kb: str
    embedder: str
    name: str
    """The same for every version."""
    collection: str
    """The name with the version's number, where one place holds several."""

    @abstractmethod
    def create(self, marks: Mapping[str, str | int] | None = None) -> None:
        """With `marks`, where it is not there yet."""

    @abstractmethod
    def open(self) -> None:
        """Raises KnowledgeError saying how to index when there is nothing yet."""

    @property
    @abstractmethod
    def metadata(self) -> Mapping[str, Any]:
        """The marks, as of `open`."""

    @abstractmethod
    def mark(self, marks: Mapping[str, str | int]) -> None:
        """Change these marks in one step, and leave the others."""

    @abstractmethod
    def take(self, other: Store) -> None:
        """All that `other`, of the same kind, holds, with its vectors."""

    def write(
        self, passages: Sequence[Passage], vectors: Vectors, digests: Sequence[str], sizes: Sequence[int]
    ) -> None:
        """What is held under these ids is replaced whole. `vectors` is `(n, d)` float32, L2-normalised.

        Raises KnowledgeError for an id that comes twice.
        """
        twice = next((id_ for id_, times in Counter(passage.id for passage in passages).items() if times > 1), None)
        if twice is not None:
            raise KnowledgeError(f"two passages have the id {twice!r}: the ids of articles must differ")
        if passages:
            self._write(passages, vectors, digests, sizes)

    @abstractmethod
    def _write(
        self, passages: Sequence[Passage], vectors: Vectors, digests: Sequence[str], sizes: Sequence[int]
    ) -> None: ...

    @abstractmethod
    def delete(self, ids: Sequence[str]) -> None:
        """Ids that are not there do no harm."""

    @abstractmethod
    def vectors(self, digests: Mapping[str, str]) -> dict[str, Vectors]:
        """Of those passages, by id, that are here as they were when their article had the given digest."""

    @abstractmethod
    def count(self) -> int: ...

    @abstractmethod
    def stamps(self) -> dict[str, Stamp]: ...

    @abstractmethod
    def search(
        self, vector: Vectors, k: int, filters: Filters, audience: Audience = Audience.PUBLIC
    ) -> list[tuple[str, float]]:
        """`(passage id, cosine)` pairs of what `audience` may read, best first."""

    @abstractmethod
    def dump(self, audience: Audience = Audience.PUBLIC) -> tuple[list[Passage], Vectors]:
        """All that `audience` may read, in article and position order."""

    def pages(self, audience: Audience = Audience.PUBLIC) -> Iterator[Page]:
        """The same in parts, where a store can give them without holding everything."""
        yield self.dump(audience)

    @property
    def generation(self) -> str:
        """Changes with every finished write; empty while a first run has not finished."""
        return str(self.metadata.get("generation") or "")

    @property
    def front_matter(self) -> int:
        """The `FRONT_MATTER` with which every page was last read; 0 for an index that is older than the number."""
        return int(self.metadata.get("front_matter") or 0)

    @property
    def incomplete(self) -> str:
        """What is wrong with an index whose last writing run has not ended, as of `open`; empty where nothing is."""
        since = self.metadata.get(WRITING)
        if self.generation and not since:
            return ""
        what = "rewritten" if self.generation else "built"
        return (
            f"knowledge base {self.kb!r} is half {what}{f' (since {since})' if since else ''}: an ingest is under way "
            f"or was interrupted. Run the same `handrail ingest` again: it goes on where it stopped"
        )

    def check(self) -> None:
        """Raises IndexIncomplete where the last writing run has not ended."""
        if self.incomplete:
            raise IndexIncomplete(self.incomplete)

    def begin(self) -> None:
        """To be called before the first change; until `finish` the index counts as half written."""
        self.mark({WRITING: f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"})

    def finish(self, generation: str, front_matter: int | None = None) -> None:
        """`front_matter` stays as it is where it is not given."""
        version = self.front_matter if front_matter is None else front_matter
        self.mark({"generation": generation, "front_matter": version, WRITING: ""})


def name_of(kb: str, embedder: str) -> str:
    """As it can be written anywhere."""
    return f"kb-{kb}-{re.sub(r'[^A-Za-z0-9._-]+', '-', embedder).strip('-._')}"[:500]


def not_indexed(kb: str, embedder: str) -> KnowledgeError:
    """Says how to index."""
    return KnowledgeError(f"knowledge base {kb!r} is not indexed with {embedder}: run `handrail ingest PATH --kb {kb}`")


def of_another_width(kb: str, held: object, given: int) -> KnowledgeError:
    """Says that vectors come from another embedder, and how to mend that."""
    return KnowledgeError(
        f"knowledge base {kb!r} holds vectors of {held} dimensions, but the embedder makes {given}: `models.embedder` "
        f"now names another model than the one it was indexed with. Run `handrail kb drop {kb}` and ingest again"
    )


def stamps_of(rows: Iterable[tuple[str, str, str, int]]) -> dict[str, Stamp]:
    """Of `(article id, passage id, digest, passages of the article)`."""
    digests: dict[str, dict[str, str]] = {}
    expected: dict[str, int] = {}
    for article, passage_id, digest, of in rows:
        digests.setdefault(article, {})[passage_id] = digest
        expected[article] = of
    return {article: Stamp(held, expected[article]) for article, held in digests.items()}


def in_order(rows: Sequence[tuple[Passage, Any]], audience: Audience) -> tuple[list[Passage], list[Any]]:
    """What `audience` may read of passages and their vectors, by article and position."""
    read = sorted(
        (row for row in rows if audience.may_read(row[0].facets)), key=lambda row: (row[0].article_id, row[0].position)
    )
    return [passage for passage, _ in read], [vector for _, vector in read]
