"""One knowledge base in Qdrant: two collections for each version.

NAME              no points; its metadata holds the marks
NAME.passages     the passages; made when the first is written, since only then the width of vectors is known

Names of a tenant's begin with "handrail-TENANT.".
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from handrail.errors import HandrailError, KnowledgeError, MissingExtra, RetryableError, SettingsError
from handrail.settings.tenants import OWN
from handrail.stores.audience import FACET as AUDIENCE
from handrail.stores.audience import Audience
from handrail.stores.filters import DOCUMENT, FROM, TO, UPDATED, day, wanted
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

try:
    from qdrant_client import QdrantClient, models
    from qdrant_client.http.exceptions import ApiException, ResponseHandlingException, UnexpectedResponse
except ModuleNotFoundError as error:
    raise MissingExtra("the index in Qdrant", "qdrant") from error

IDS = uuid.UUID("5f2cf0b4-6a36-4d0b-9f0f-0f6b1f4d9a51")
"""Qdrant's own ids are numbers or UUIDs: those of passages are turned into such by this."""
PAGE = 500
TIMEOUT_S = 30
PASSAGES = ".passages"


class QdrantServer(Server):
    """The index on a Qdrant server."""

    def __init__(self, url: str, key: str | None = None, tenant: str = OWN) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise SettingsError(f"storage.qdrant_url = {url!r} is not an http(s) address such as http://127.0.0.1:6333")
        self._begin(
            QdrantClient(url=url, api_key=key, timeout=TIMEOUT_S, check_compatibility=False), tenant, served=True
        )
        try:
            self.collections()
        except HandrailError:
            self.close()
            raise

    @classmethod
    def in_memory(cls, client: QdrantClient | None = None, tenant: str = OWN) -> QdrantServer:
        """What a client keeps by itself in this process, comparing every passage; for tests."""
        made = cls.__new__(cls)
        made._begin(client or QdrantClient(":memory:"), tenant, served=False)
        return made

    def _begin(self, client: QdrantClient, tenant: str, *, served: bool) -> None:
        self._client = client
        self._prefix = "" if tenant == OWN else f"handrail-{tenant}."
        self._served = served

    def store(self, kb: str, embedder: str, version: str = "") -> QdrantStore:
        return QdrantStore(self._client, kb, embedder, version, prefix=self._prefix, served=self._served)

    def collections(self) -> list[Collection]:
        with _answering():
            names = {one.name for one in self._client.get_collections().collections}
            return [
                Collection(name, self._client.get_collection(name).config.metadata or {}, self._counted(name, names))
                for name in sorted(names)
                if name.startswith(f"{self._prefix}kb-") and not name.endswith(PASSAGES)
            ]

    def _counted(self, name: str, names: set[str]) -> Any:
        return lambda: self._client.count(name + PASSAGES).count if name + PASSAGES in names else 0

    def remove(self, collection: str) -> None:
        with _answering():
            self._client.delete_collection(collection)
            self._client.delete_collection(collection + PASSAGES)

    def clear(self) -> None:
        for one in self.collections():
            self.remove(one.name)

    def close(self) -> None:
        self._client.close()


class QdrantStore(Store):
    def __init__(
        self, client: QdrantClient, kb: str, embedder: str, version: str = "", *, prefix: str, served: bool
    ) -> None:
        """`prefix` begins the names of collections. `served`: by a server, with a graph and indexes of the payload."""
        self._client = client
        self._served = served
        self.kb = kb
        self.embedder = embedder
        self.name = name_of(kb, embedder)[:150]
        self.collection = prefix + self.name + version
        self._passages = self.collection + PASSAGES
        self._marks: dict[str, Any] = {}
        self._dimensions: int | None = None

    def create(self, marks: Mapping[str, str | int] | None = None) -> None:
        first = {**(marks or {}), "kb": self.kb, "embedder": self.embedder, "generation": ""}
        with _answering():
            if not self._client.collection_exists(self.collection):
                self._client.create_collection(self.collection, vectors_config={}, metadata=first)
        self.open()
        if "kb" not in self._marks:
            raise SettingsError("the Qdrant server doesn't keep the metadata of collections: it must be 1.16 or newer")

    def open(self) -> None:
        with _answering():
            if not self._client.collection_exists(self.collection):
                raise not_indexed(self.kb, self.embedder)
            self._marks = dict(self._client.get_collection(self.collection).config.metadata or {})
            self._dimensions = None
            if self._client.collection_exists(self._passages):
                vectors = self._client.get_collection(self._passages).config.params.vectors
                assert isinstance(vectors, models.VectorParams)  # noqa: S101 - made below
                self._dimensions = vectors.size

    @property
    def metadata(self) -> Mapping[str, Any]:
        return self._marks

    def mark(self, marks: Mapping[str, str | int]) -> None:
        with _answering():
            self._client.update_collection(self.collection, metadata=dict(marks))
        self._marks |= marks

    def take(self, other: Store) -> None:
        assert isinstance(other, QdrantStore)  # noqa: S101 - of the same place
        for records in other._pages(vectors=True):
            if self._dimensions is None:
                self._make(len(_vector(records[0])))
            self._put([models.PointStruct(id=one.id, vector=one.vector, payload=one.payload) for one in records])
        self.mark({"front_matter": other.front_matter})

    def _make(self, dimensions: int) -> None:
        """The collection of passages, once the width of vectors is known."""
        graph = models.HnswConfigDiff(m=NEIGHBOURS, ef_construct=BUILD_WIDTH)
        vectors = models.VectorParams(size=dimensions, distance=models.Distance.COSINE)
        kinds = {"article_id": models.PayloadSchemaType.KEYWORD, "updated": models.PayloadSchemaType.INTEGER}
        kinds |= {f"said.{key}": models.PayloadSchemaType.KEYWORD for key in said(NOTHING)}
        with _answering():
            self._client.create_collection(self._passages, vectors_config=vectors, hnsw_config=graph)
            for field, kind in kinds.items() if self._served else ():
                self._client.create_payload_index(self._passages, field, kind, wait=True)
        self._dimensions = dimensions

    def _write(
        self, passages: Sequence[Passage], vectors: Vectors, digests: Sequence[str], sizes: Sequence[int]
    ) -> None:
        if self._dimensions is None:
            self._make(vectors.shape[1])
        self._fits(vectors.shape[1])
        points = [
            models.PointStruct(
                id=_point(one.id),
                vector=vector.tolist(),
                payload={
                    "article_id": one.article_id,
                    "digest": digest,
                    "size": size,
                    "said": said(one),
                    "updated": day(one.facets[UPDATED]) if UPDATED in one.facets else None,
                    "passage": as_row(one),
                },
            )
            for one, vector, digest, size in zip(passages, vectors, digests, sizes, strict=True)
        ]
        for start in range(0, len(points), PAGE):
            self._put(points[start : start + PAGE])

    def _put(self, points: list[models.PointStruct]) -> None:
        with _answering():
            self._client.upsert(self._passages, points, wait=True)

    def _fits(self, width: int) -> None:
        if self._dimensions not in (None, width):
            raise of_another_width(self.kb, self._dimensions, width)

    def delete(self, ids: Sequence[str]) -> None:
        for start in range(0, len(ids) if self._dimensions else 0, PAGE):
            chosen = models.PointIdsList(points=[_point(id_) for id_ in ids[start : start + PAGE]])
            with _answering():
                self._client.delete(self._passages, chosen, wait=True)

    def vectors(self, digests: Mapping[str, str]) -> dict[str, Vectors]:
        if not self._dimensions or not digests:
            return {}
        wanted_fields = ["passage.id", "digest"]
        with _answering():
            found = self._client.retrieve(
                self._passages, [_point(id_) for id_ in digests], with_payload=wanted_fields, with_vectors=True
            )
        rows = ((one, _told(one)) for one in found)
        return {
            told["passage"]["id"]: _vector(one)
            for one, told in rows
            if told["digest"] == digests[told["passage"]["id"]]
        }

    def count(self) -> int:
        with _answering():
            return self._client.count(self._passages).count if self._dimensions else 0

    def stamps(self) -> dict[str, Stamp]:
        pages = self._pages(payload=["article_id", "passage.id", "digest", "size"])
        told = (_told(one) for page in pages for one in page)
        return stamps_of((one["article_id"], one["passage"]["id"], one["digest"], one["size"]) for one in told)

    def search(
        self, vector: Vectors, k: int, filters: Filters, audience: Audience = Audience.PUBLIC
    ) -> list[tuple[str, float]]:
        if not self._dimensions:
            return []
        self._fits(len(vector))
        with _answering():
            found = self._client.query_points(
                self._passages,
                query=vector.tolist(),
                limit=k,
                query_filter=_filter(filters, audience),
                search_params=models.SearchParams(hnsw_ef=SEARCH_WIDTH) if self._served else None,
                with_payload=["passage.id"],
                timeout=SEARCH_S,
            )
        return [(_told(one)["passage"]["id"], one.score) for one in found.points]

    def dump(self, audience: Audience = Audience.PUBLIC) -> tuple[list[Passage], Vectors]:
        pages = self._pages(vectors=True, payload=["passage"])
        rows = [(from_row(_told(one)["passage"]), _vector(one)) for page in pages for one in page]
        passages, vectors = in_order(rows, audience)
        return passages, np.asarray(vectors, dtype=np.float32)

    def _pages(self, *, vectors: bool = False, payload: bool | list[str] = True) -> Iterator[list[models.Record]]:
        offset: Any = None
        while self._dimensions:
            with _answering():
                page, offset = self._client.scroll(
                    self._passages, limit=PAGE, offset=offset, with_payload=payload, with_vectors=vectors
                )
            if page:
                yield page
            if offset is None:
                return


NOTHING = Passage("", "", 0, "", (), "", "", 0)


@contextmanager
def _answering() -> Iterator[None]:
    """What the server says when it is away, or no longer has a collection."""
    try:
        yield
    except HandrailError:
        raise
    except ResponseHandlingException as error:
        raise RetryableError(f"Qdrant doesn't respond: {error.source}") from error
    except UnexpectedResponse as error:
        if error.status_code in (401, 403):
            raise SettingsError("Qdrant refuses the key: set storage.qdrant_key (QDRANT_API_KEY)") from error
        if error.status_code == 404:
            raise KnowledgeError(f"Qdrant no longer has this version of the knowledge base ({error})") from error
        raise RetryableError(f"Qdrant doesn't respond: {error}") from error
    except ApiException as error:
        raise RetryableError(f"Qdrant doesn't respond: {error}") from error


def _point(id_: str) -> str:
    return str(uuid.uuid5(IDS, id_))


def _told(one: models.Record | models.ScoredPoint) -> dict[str, Any]:
    return one.payload or {}


def _vector(one: models.Record) -> Vectors:
    return np.asarray(one.vector, dtype=np.float32)


def _filter(filters: Filters, audience: Audience) -> models.Filter | None:
    clauses: list[Any] = [_clause(key, list(wanted(value))) for key, value in filters.items()]
    if audience is Audience.PUBLIC:
        clauses.append(_clause(AUDIENCE, [Audience.PUBLIC.value]))
    return models.Filter(must=clauses) if clauses else None


def _clause(key: str, asked: list[str]) -> models.FieldCondition:
    if key in (FROM, TO):
        bound = {"gte" if key == FROM else "lte": day(asked[0])}
        return models.FieldCondition(key="updated", range=models.Range(**bound))
    field = "article_id" if key == DOCUMENT else f"said.{key}"
    return models.FieldCondition(key=field, match=models.MatchAny(any=asked))
