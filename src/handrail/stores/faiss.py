"""Large knowledge bases on the disk of one machine: passages in SQLite, their vectors in FAISS beside it.

index/HASH/passages.sqlite3      a collection: its marks, passages and vectors
index/HASH/vectors.faiss         the same vectors as they are searched; made when a run has ended

A small collection has no such file: all of its vectors are compared.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from handrail.stores.audience import Audience
from handrail.stores.filters import DOCUMENT, FROM, TO, UPDATED, day, wanted
from handrail.stores.inverted import Chosen, Inverted, Rows, build, sampled
from handrail.stores.lock import IndexLock
from handrail.stores.rows import as_row, from_row, said, sharing
from handrail.stores.server import Collection, Server
from handrail.stores.store import Page, Stamp, Store, name_of, not_indexed, of_another_width, stamps_of
from handrail.types import Passage, Vectors
from handrail.types.filters import Filters

DATABASE, NEAREST = "passages.sqlite3", "vectors.faiss"
COMPARED = 5_000
"""Passages up to which a query is compared with every one."""
CLOSER = 3
"""Times the passages asked for that are compared by their exact vectors."""
PAGE = 10_000
FILTERS_KEPT = 32
TABLES = """
CREATE TABLE IF NOT EXISTS marks (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS facets (n INTEGER PRIMARY KEY, said TEXT NOT NULL UNIQUE, public INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS passages (
    row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, article_id TEXT NOT NULL, position INTEGER NOT NULL,
    digest TEXT NOT NULL, size INTEGER NOT NULL, facets INTEGER NOT NULL, updated INTEGER, passage TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS passages_in_order ON passages (article_id, position);
CREATE INDEX IF NOT EXISTS passages_by_facets ON passages (facets);
CREATE TABLE IF NOT EXISTS vectors (row INTEGER PRIMARY KEY, vector BLOB NOT NULL);
"""
"""`facets` holds each combination of what filters ask for once: far fewer than passages."""
PUT_FACETS = "INSERT OR IGNORE INTO facets (said, public) VALUES (?, ?)"
PUT = """INSERT INTO passages (id, article_id, position, digest, size, facets, updated, passage)
VALUES (?, ?, ?, ?, ?, (SELECT n FROM facets WHERE said = ?), ?, ?)
ON CONFLICT (id) DO UPDATE SET article_id = excluded.article_id, position = excluded.position,
digest = excluded.digest, size = excluded.size, facets = excluded.facets, updated = excluded.updated,
passage = excluded.passage"""
PUT_VECTOR = "INSERT OR REPLACE INTO vectors SELECT row, ? FROM passages WHERE id = ?"
PUBLIC = "facets IN (SELECT n FROM facets WHERE public)"
LISTED = "(SELECT value FROM json_each(?))"


class FaissServer(Server):
    """What is in one folder, a folder for each collection."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def store(self, kb: str, embedder: str, version: str = "") -> FaissStore:
        return FaissStore(self._folder, kb, embedder, version)

    def collections(self) -> list[Collection]:
        places = [path.parent for path in self._folder.glob(f"*/{DATABASE}")]
        return [
            Collection(marks["collection"], marks, partial(_count, one)) for one in places if (marks := _marks(one))
        ]

    def remove(self, collection: str) -> None:
        place = self._folder / folder_of(collection)
        if place.is_dir():
            with IndexLock(place, write=True):
                gone = place.rename(place.with_name(f".{place.name}"))
            shutil.rmtree(gone, ignore_errors=True)

    def clear(self) -> None:
        for one in self.collections():
            self.remove(one.name)

    def close(self) -> None:
        """Nothing is open between two calls."""

    def reading(self, collection: str) -> Callable[[], None]:
        place = self._folder / folder_of(collection)
        return IndexLock(place, write=False).release if place.is_dir() else lambda: None


class FaissStore(Store):
    def __init__(self, folder: Path, kb: str, embedder: str, version: str = "") -> None:
        self.kb = kb
        self.embedder = embedder
        self.name = name_of(kb, embedder)
        self.collection = self.name + version
        self._place = folder / folder_of(self.collection)
        self._marks: dict[str, Any] = {}
        self._forget()

    def _forget(self) -> None:
        """What is held of the passages, once they change."""
        self._inverted: Inverted | None = None
        self._all: tuple[Rows, Vectors] | None = None
        self._chosen = lru_cache(maxsize=FILTERS_KEPT)(self._choose)

    def create(self, marks: Mapping[str, str | int] | None = None) -> None:
        self._place.mkdir(parents=True, exist_ok=True)
        first = {**(marks or {}), "kb": self.kb, "embedder": self.embedder, "generation": ""}
        first["collection"] = self.collection
        with _connected(self._place) as database:
            database.executescript(TABLES)
            rows = [(key, json.dumps(value)) for key, value in first.items()]
            if not database.execute("SELECT 1 FROM marks").fetchone():
                database.executemany("INSERT INTO marks VALUES (?, ?)", rows)
        self.open()

    def open(self) -> None:
        self._marks = _marks(self._place)
        if not self._marks:
            raise not_indexed(self.kb, self.embedder)
        self._forget()

    @property
    def metadata(self) -> Mapping[str, Any]:
        return self._marks

    def mark(self, marks: Mapping[str, str | int]) -> None:
        with _connected(self._place) as database:
            rows = [(key, json.dumps(value)) for key, value in marks.items()]
            database.executemany("INSERT OR REPLACE INTO marks VALUES (?, ?)", rows)
        self._marks |= marks

    @property
    def _dimensions(self) -> int | None:
        return self._marks.get("dimensions")

    def take(self, other: Store) -> None:
        assert isinstance(other, FaissStore)  # noqa: S101 - of the same place
        self._change()
        with _connected(self._place) as database:
            database.execute("ATTACH ? AS other", (str(other._place / DATABASE),))
            for table in ("facets", "passages", "vectors"):
                database.execute(f"INSERT INTO {table} SELECT * FROM other.{table}")
        held = {"dimensions": other._dimensions} if other._dimensions else {}
        self.mark({"front_matter": other.front_matter, **held})

    def _change(self) -> None:
        self._forget()
        (self._place / NEAREST).unlink(missing_ok=True)

    def finish(self, generation: str, front_matter: int | None = None) -> None:
        """The vectors are made ready for search here."""
        self._change()
        count = self.count()
        if count > COMPARED:
            every = count // sampled(count)
            sample = np.concatenate([one for _, one in self._vectors("WHERE row % ? = 0", every)])
            build(self._place / NEAREST, count, sample, self._vectors())
        super().finish(generation, front_matter)

    def _vectors(self, where: str = "", *values: Any) -> Iterator[tuple[Rows, Vectors]]:
        with _connected(self._place) as database:
            found = database.execute(f"SELECT row, vector FROM vectors {where} ORDER BY row", values)
            while page := found.fetchmany(PAGE):
                yield np.asarray([row for row, _ in page]), _read([vector for _, vector in page])

    def _write(
        self, passages: Sequence[Passage], vectors: Vectors, digests: Sequence[str], sizes: Sequence[int]
    ) -> None:
        self._fits(vectors.shape[1])
        self._change()
        if not self._dimensions:
            self.mark({"dimensions": vectors.shape[1]})
        told = [json.dumps(said(one)) for one in passages]
        public = [Audience.PUBLIC.may_read(one.facets) for one in passages]
        rows = [
            (one.id, one.article_id, one.position, digest, size, of, _updated(one), json.dumps(as_row(one)))
            for one, digest, size, of in zip(passages, digests, sizes, told, strict=True)
        ]
        ids, packed = [one.id for one in passages], [one.tobytes() for one in vectors.astype(np.float32)]
        with _connected(self._place) as database:
            database.executemany(PUT_FACETS, set(zip(told, public, strict=True)))
            database.executemany(PUT, rows)
            database.executemany(PUT_VECTOR, zip(packed, ids, strict=True))

    def _fits(self, width: int) -> None:
        if self._dimensions not in (None, width):
            raise of_another_width(self.kb, self._dimensions, width)

    def delete(self, ids: Sequence[str]) -> None:
        self._change()
        listed = json.dumps(list(ids))
        with _connected(self._place) as database:
            named = f"SELECT row FROM passages WHERE id IN {LISTED}"
            database.execute(f"DELETE FROM vectors WHERE row IN ({named})", (listed,))
            database.execute(f"DELETE FROM passages WHERE id IN {LISTED}", (listed,))

    def vectors(self, digests: Mapping[str, str]) -> dict[str, Vectors]:
        asked = f"SELECT id, digest, vector FROM passages JOIN vectors USING (row) WHERE id IN {LISTED}"
        with _connected(self._place) as database:
            rows = database.execute(asked, (json.dumps(list(digests)),)).fetchall()
        return {id_: _read([vector])[0] for id_, digest, vector in rows if digest == digests[id_]}

    def count(self) -> int:
        return _count(self._place)

    def stamps(self) -> dict[str, Stamp]:
        with _connected(self._place) as database:
            return stamps_of(database.execute("SELECT article_id, id, digest, size FROM passages"))

    def search(
        self, vector: Vectors, k: int, filters: Filters, audience: Audience = Audience.PUBLIC
    ) -> list[tuple[str, float]]:
        if not self._dimensions:
            return []
        self._fits(len(vector))
        chosen = self._chosen(audience, *_where(filters))
        if chosen is not None and not len(chosen.rows):
            return []
        near = self._near(vector, CLOSER * k, chosen)
        asked = f"SELECT id, vector FROM passages JOIN vectors USING (row) WHERE row IN {LISTED}"
        with _connected(self._place) as database:
            rows = database.execute(asked, (json.dumps(near.tolist()),)).fetchall()
        found = [(id_, float(_read([held])[0] @ vector)) for id_, held in rows]
        return sorted(found, key=lambda one: (-one[1], one[0]))[:k]

    def _near(self, vector: Vectors, k: int, chosen: Chosen | None) -> Rows:
        if self._inverted is None and (self._place / NEAREST).is_file():
            self._inverted = Inverted(self._place / NEAREST)
        if self._inverted is not None:
            return self._inverted.nearest(vector, k, chosen)
        if self._all is None:
            pages = list(self._vectors()) or [(np.zeros(0, dtype=np.int64), np.zeros((0, len(vector)), np.float32))]
            self._all = np.concatenate([rows for rows, _ in pages]), np.concatenate([one for _, one in pages])
        rows, vectors = self._all
        cosines = vectors @ vector
        if chosen is not None:
            cosines[~np.isin(rows, chosen.rows)] = -np.inf
            k = min(k, len(chosen.rows))
        found: Rows = rows[np.argsort(-cosines, kind="stable")[:k]]
        return found

    def _choose(self, audience: Audience, where: str, values: tuple[Any, ...]) -> Chosen | None:
        """None where nothing is left out."""
        with _connected(self._place) as database:
            some = database.execute("SELECT 1 FROM facets WHERE NOT public").fetchone()
            if some and audience is Audience.PUBLIC:
                where = f"{where} AND {PUBLIC}" if where else PUBLIC
            if not where:
                return None
            rows = database.execute(f"SELECT row FROM passages WHERE {where}", values)
            return Chosen(np.fromiter((row for (row,) in rows), dtype=np.int64))

    def dump(self, audience: Audience = Audience.PUBLIC) -> tuple[list[Passage], Vectors]:
        passages: list[Passage] = []
        vectors = np.empty((self.count(), self._dimensions or 0), dtype=np.float32)
        for page, found in self.pages(audience):
            vectors[len(passages) : len(passages) + len(page)] = found
            passages += sharing(page)
        return passages, vectors[: len(passages)]

    def pages(self, audience: Audience = Audience.PUBLIC) -> Iterator[Page]:
        where = f"+{PUBLIC}" if audience is Audience.PUBLIC else "TRUE"  # found in their order, not by facets
        told = f"SELECT passage, vector FROM passages JOIN vectors USING (row) WHERE {where}"
        with _connected(self._place) as database:
            found = database.execute(f"{told} ORDER BY article_id, position")
            while page := found.fetchmany(PAGE):
                yield [from_row(json.loads(passage)) for passage, _ in page], _read([vector for _, vector in page])


def folder_of(collection: str) -> str:
    """Names may be longer than those of folders, and hold what those may not."""
    return hashlib.sha256(collection.encode()).hexdigest()[:32]


@contextmanager
def _connected(place: Path) -> Iterator[sqlite3.Connection]:
    """For one transaction: a connection costs less than to share one between threads."""
    with closing(sqlite3.connect(place / DATABASE)) as database, database:
        yield database


def _marks(place: Path) -> dict[str, Any]:
    """Empty where there is no collection."""
    if not (place / DATABASE).is_file():
        return {}
    with _connected(place) as database:
        return {key: json.loads(value) for key, value in database.execute("SELECT key, value FROM marks")}


def _count(place: Path) -> int:
    with _connected(place) as database:
        return int(database.execute("SELECT count(*) FROM vectors").fetchone()[0])


def _read(packed: Sequence[bytes]) -> Vectors:
    return np.frombuffer(b"".join(packed), dtype=np.float32).reshape(len(packed), -1)


def _updated(passage: Passage) -> int | None:
    return day(passage.facets[UPDATED]) if UPDATED in passage.facets else None


def _where(filters: Filters) -> tuple[str, tuple[str | int, ...]]:
    """The condition, and what it is given."""
    clauses: list[str] = []
    values: list[str | int] = []
    for key, value in filters.items():
        asked = wanted(value)
        if key in (FROM, TO):
            clauses.append(f"updated {'>=' if key == FROM else '<='} ?")
            values.append(day(asked[0]))
        elif key == DOCUMENT:
            clauses.append(f"article_id IN {LISTED}")
            values.append(json.dumps(asked))
        else:
            clauses.append(f"facets IN (SELECT n FROM facets, json_each(said, ?) WHERE value IN {LISTED})")
            values += [f'$."{key}"', json.dumps(asked)]
    return " AND ".join(clauses), tuple(values)
