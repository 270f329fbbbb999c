"""One knowledge base in PostgreSQL with pgvector: a table for each version.

handrail_index.collections       the name of each, its marks, its table and the width of its vectors
handrail_index.passages_HASH     its passages; made when the first is written, since only then the width is known

Each tenant has a schema of its own, such as "handrail_index_acme".
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from handrail.errors import HandrailError, KnowledgeError, SettingsError
from handrail.settings.tenants import OWN
from handrail.stores.audience import Audience
from handrail.stores.filters import DOCUMENT, FROM, TO, UPDATED, wanted
from handrail.stores.postgres_session import Absent, Session
from handrail.stores.rows import as_row, from_row, said
from handrail.stores.server import Collection, Server
from handrail.stores.store import (
    BUILD_WIDTH,
    NEIGHBOURS,
    SEARCH_S,
    SEARCH_WIDTH,
    Stamp,
    Store,
    in_order,
    name_of,
    not_indexed,
    of_another_width,
    stamps_of,
)
from handrail.types import Passage, Vectors
from handrail.types.filters import Filters

SCHEMA = "handrail_index"
PAGE = 2000
SETTINGS = {
    "hnsw.ef_search": str(SEARCH_WIDTH),
    # Where filters leave too few of those that the graph gave, it is searched on.
    "hnsw.iterative_scan": "strict_order",
    "random_page_cost": "1.1",
    "jit": "off",
}
TABLES = """
CREATE SCHEMA IF NOT EXISTS {schema};
CREATE TABLE IF NOT EXISTS {schema}.collections (
    name text PRIMARY KEY, marks jsonb NOT NULL, passages text NOT NULL, dimensions int
)"""
PASSAGES = """CREATE TABLE {table} (
    id text COLLATE "C" PRIMARY KEY, article_id text NOT NULL, digest text NOT NULL, size int NOT NULL,
    public boolean NOT NULL, said jsonb NOT NULL, updated date, passage json NOT NULL,
    embedding vector({dimensions}) NOT NULL
)"""
IN_ROWS = "ALTER TABLE {table} ALTER COLUMN embedding SET STORAGE MAIN"
"""With vectors kept apart, as PostgreSQL does of itself, the planner thinks that reading them all is cheap."""
GRAPH = f"""CREATE INDEX IF NOT EXISTS {{name}}_graph ON {{table}} USING hnsw (embedding vector_cosine_ops)
    WITH (m = {NEIGHBOURS}, ef_construction = {BUILD_WIDTH})"""
DISTANCE = "embedding <=> CAST(CAST(:vector AS real[]) AS vector)"
NEAREST = f"SELECT id, 1 - ({DISTANCE}) FROM {{table}} WHERE {{where}} ORDER BY {DISTANCE} LIMIT :k"
"""By the graph, which gives up where filters leave few among many."""
NEAREST_OF_ALL = (
    "WITH chosen AS MATERIALIZED (SELECT id, embedding FROM {table} WHERE {where}) "
    f"SELECT id, 1 - ({DISTANCE}) FROM chosen ORDER BY {DISTANCE} LIMIT :k"
)
"""Every passage that the filters leave is compared: few as a rule, and none is missed."""
COLUMNS = "id, article_id, digest, size, public, said, updated, passage, embedding"


class PostgresServer(Server):
    """The index in one database. Several processes on several machines may use it: it tells who writes and reads."""

    def __init__(self, url: str, tenant: str = OWN) -> None:
        self.session = Session(url, SETTINGS)
        self.schema = SCHEMA if tenant == OWN else f'"{SCHEMA}_{tenant}"'
        try:
            self.session.rows("SELECT 1")
        except HandrailError:
            self.session.close()
            raise

    def store(self, kb: str, embedder: str, version: str = "") -> PostgresStore:
        return PostgresStore(self, kb, embedder, version)

    def collections(self) -> list[Collection]:
        try:
            rows = self.session.rows(f"SELECT name, marks, passages, dimensions FROM {self.schema}.collections")
        except Absent:
            return []
        return [
            Collection(name, marks, partial(self.counted, table) if dimensions else int)
            for name, marks, table, dimensions in rows
        ]

    def remove(self, collection: str) -> None:
        async def drop(connection: AsyncConnection) -> None:
            await connection.execute(text(f"DROP TABLE IF EXISTS {self.schema}.{table_of(collection)}"))
            gone = text(f"DELETE FROM {self.schema}.collections WHERE name = :name")
            await connection.execute(gone, {"name": collection})

        release = self._lock(collection, shared=False)
        try:
            self.session.run(drop)
        finally:
            release()

    def counted(self, table: str) -> int:
        return int(self.session.rows(f"SELECT count(*) FROM {self.schema}.{table}")[0][0])

    def clear(self) -> None:
        async def drop(connection: AsyncConnection) -> None:
            await connection.execute(text(f"DROP SCHEMA IF EXISTS {self.schema} CASCADE"))

        self.session.run(drop)

    def close(self) -> None:
        self.session.close()

    @contextmanager
    def writing(self, kb: str) -> Iterator[None]:
        release = self._lock(f"knowledge base {kb}", shared=False)
        try:
            yield
        finally:
            release()

    def reading(self, collection: str) -> Callable[[], None]:
        return self._lock(collection, shared=True)

    def _lock(self, name: str, *, shared: bool) -> Callable[[], None]:
        return self.session.lock(f"{self.schema}: {name}", name, shared=shared)


class PostgresStore(Store):
    def __init__(self, server: PostgresServer, kb: str, embedder: str, version: str = "") -> None:
        self._server = server
        self._session = server.session
        self.kb = kb
        self.embedder = embedder
        self.name = name_of(kb, embedder)
        self.collection = self.name + version
        self._own = table_of(self.collection)
        self._collections = f"{server.schema}.collections"
        self._table = f"{server.schema}.{self._own}"
        self._marks: dict[str, Any] = {}
        self._dimensions: int | None = None

    def create(self, marks: Mapping[str, str | int] | None = None) -> None:
        first = {**(marks or {}), "kb": self.kb, "embedder": self.embedder, "generation": ""}
        made = (
            f"INSERT INTO {self._collections} (name, marks, passages) "
            "VALUES (:name, CAST(:marks AS jsonb), :passages) ON CONFLICT DO NOTHING"
        )

        async def create(connection: AsyncConnection) -> None:
            await connection.execute(text("SELECT pg_advisory_xact_lock(hashtextextended('handrail_index', 0))"))
            await connection.execute(text("CREATE EXTENSION IF NOT EXISTS vector"))
            for statement in TABLES.format(schema=self._server.schema).split(";"):
                await connection.execute(text(statement))
            values = {"name": self.collection, "marks": json.dumps(first), "passages": self._own}
            await connection.execute(text(made), values)

        try:
            self._session.run(create)
        except HandrailError as error:
            if "vector" not in str(error):
                raise
            raise SettingsError(
                f"{error}. Install pgvector on the server, and let an administrator run CREATE EXTENSION vector in "
                "this database"
            ) from error
        self.open()

    def open(self) -> None:
        asked = f"SELECT marks, dimensions FROM {self._collections} WHERE name = :name"
        try:
            found = self._session.rows(asked, SEARCH_S, name=self.collection)
        except Absent:
            found = []
        if not found:
            raise not_indexed(self.kb, self.embedder)
        self._marks, self._dimensions = found[0]

    @property
    def metadata(self) -> Mapping[str, Any]:
        return self._marks

    def mark(self, marks: Mapping[str, str | int]) -> None:
        changed = (
            f"UPDATE {self._collections} SET marks = marks || CAST(:marks AS jsonb) WHERE name = :name RETURNING marks"
        )
        found = self._session.rows(changed, marks=json.dumps(dict(marks)), name=self.collection)
        if not found:
            raise not_indexed(self.kb, self.embedder)
        self._marks = found[0].marks

    def finish(self, generation: str, front_matter: int | None = None) -> None:
        """The graph is built here, which takes less time than adding passage by passage."""
        if self._dimensions:
            self._session.run(self._build)
        super().finish(generation, front_matter)

    async def _build(self, connection: AsyncConnection) -> None:
        # In memory of its own: what workers share is often small in containers.
        await connection.execute(text("SET LOCAL max_parallel_maintenance_workers = 0"))
        await connection.execute(text("SET LOCAL maintenance_work_mem = '512MB'"))
        await connection.execute(text(GRAPH.format(name=self._own, table=self._table)))
        await connection.execute(text(f"ANALYZE {self._table}"))

    def take(self, other: Store) -> None:
        assert isinstance(other, PostgresStore)  # noqa: S101 - of the same place
        if other._dimensions:
            self._make(other._dimensions)
            copied = f"INSERT INTO {self._table} ({COLUMNS}) SELECT {COLUMNS} FROM {other._table}"

            async def copy(connection: AsyncConnection) -> None:
                await connection.execute(text(copied))

            self._session.run(copy)
        self.mark({"front_matter": other.front_matter})

    def _make(self, dimensions: int) -> None:
        """The table, once the width of vectors is known."""
        told = f"UPDATE {self._collections} SET dimensions = :dimensions WHERE name = :name"

        async def make(connection: AsyncConnection) -> None:
            await connection.execute(text(PASSAGES.format(table=self._table, dimensions=dimensions)))
            await connection.execute(text(IN_ROWS.format(table=self._table)))
            await connection.execute(text(told), {"dimensions": dimensions, "name": self.collection})

        self._session.run(make)
        self._dimensions = dimensions

    def _write(
        self, passages: Sequence[Passage], vectors: Vectors, digests: Sequence[str], sizes: Sequence[int]
    ) -> None:
        width = vectors.shape[1]
        if self._dimensions is None:
            self._make(width)
        self._fits(width)
        rows = [
            {
                "id": one.id,
                "article_id": one.article_id,
                "digest": digest,
                "size": size,
                "public": Audience.PUBLIC.may_read(one.facets),
                "said": json.dumps(said(one)),
                "updated": one.facets.get(UPDATED),
                "passage": json.dumps(as_row(one), ensure_ascii=True),
                "embedding": vector.tolist(),
            }
            for one, vector, digest, size in zip(passages, vectors, digests, sizes, strict=True)
        ]
        replaced = ", ".join(f"{name} = excluded.{name}" for name in COLUMNS.split(", ")[1:])
        put = (
            f"INSERT INTO {self._table} ({COLUMNS}) VALUES (:id, :article_id, :digest, :size, :public, "
            "CAST(:said AS jsonb), to_date(:updated, 'YYYY-MM-DD'), CAST(:passage AS json), "
            f"CAST(CAST(:embedding AS real[]) AS vector)) ON CONFLICT (id) DO UPDATE SET {replaced}"
        )

        async def write(connection: AsyncConnection) -> None:
            await connection.execute(text(put), rows)

        self._session.run(write)

    def _fits(self, width: int) -> None:
        if self._dimensions not in (None, width):
            raise of_another_width(self.kb, self._dimensions, width)

    def delete(self, ids: Sequence[str]) -> None:
        gone = f"DELETE FROM {self._table} WHERE id = ANY(CAST(:ids AS text[])) RETURNING 1"
        for start in range(0, len(ids) if self._dimensions else 0, PAGE):
            self._session.rows(gone, ids=list(ids[start : start + PAGE]))

    def vectors(self, digests: Mapping[str, str]) -> dict[str, Vectors]:
        if not self._dimensions:
            return {}
        asked = f"SELECT id, digest, vector_send(embedding) FROM {self._table} WHERE id = ANY(CAST(:ids AS text[]))"
        rows = self._session.rows(asked, ids=list(digests))
        return {id_: _vector(sent) for id_, digest, sent in rows if digest == digests[id_]}

    def count(self) -> int:
        return self._server.counted(self._own) if self._dimensions else 0

    def stamps(self) -> dict[str, Stamp]:
        return stamps_of(row for page in self._pages("article_id, id, digest, size") for row in page)

    def search(
        self, vector: Vectors, k: int, filters: Filters, audience: Audience = Audience.PUBLIC
    ) -> list[tuple[str, float]]:
        if not self._dimensions:
            return []
        self._fits(len(vector))
        where, values = _where(filters, audience)
        values |= {"vector": vector.tolist(), "k": k}
        named = {"table": self._table, "where": where}
        try:
            found = [] if filters else self._session.rows(NEAREST.format(**named), SEARCH_S, **values)
            if len(found) < k:
                found = self._session.rows(NEAREST_OF_ALL.format(**named), SEARCH_S, **values)
        except Absent as error:
            raise KnowledgeError(f"this version of knowledge base {self.kb!r} was removed") from error
        return [(id_, float(cosine)) for id_, cosine in found]

    def dump(self, audience: Audience = Audience.PUBLIC) -> tuple[list[Passage], Vectors]:
        rows = [
            (from_row(passage), _vector(sent))
            for page in self._pages("id, passage, vector_send(embedding)")
            for _, passage, sent in page
        ]
        passages, vectors = in_order(rows, audience)
        return passages, np.asarray(vectors, dtype=np.float32)

    def _pages(self, columns: str) -> Iterator[list[Any]]:
        """By id, which is among `columns`."""
        asked = f"SELECT {columns} FROM {self._table} WHERE id > :after ORDER BY id LIMIT {PAGE}"
        after = ""
        while self._dimensions and (page := self._session.rows(asked, after=after)):
            yield page
            after = page[-1].id


def table_of(collection: str) -> str:
    """Names in PostgreSQL have at most 63 characters."""
    return f"passages_{hashlib.sha256(collection.encode()).hexdigest()[:32]}"


def _vector(sent: bytes) -> Vectors:
    """Of the form that pgvector sends: two short numbers, then the values."""
    return np.frombuffer(sent, dtype=">f4", offset=4).astype(np.float32)


def _where(filters: Filters, audience: Audience) -> tuple[str, dict[str, Any]]:
    """The condition, and what it is given."""
    clauses, values = [], dict[str, Any]()
    for n, (key, value) in enumerate(filters.items()):
        several = wanted(value)
        values[f"of_{n}"] = list(several)
        if key in (FROM, TO):
            clauses.append(f"updated {'>=' if key == FROM else '<='} to_date(:of_{n}, 'YYYY-MM-DD')")
            values[f"of_{n}"] = several[0]
        elif key == DOCUMENT:
            clauses.append(f"article_id = ANY(CAST(:of_{n} AS text[]))")
        else:
            clauses.append(f"jsonb_exists_any(said -> CAST(:key_{n} AS text), CAST(:of_{n} AS text[]))")
            values[f"key_{n}"] = key
    if audience is Audience.PUBLIC:
        clauses.append("public")  # a column, so that the planner knows that nearly all are, and takes the graph
    return " AND ".join(clauses) or "TRUE", values
