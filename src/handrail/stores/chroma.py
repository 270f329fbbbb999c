"""One knowledge base in Chroma, on disk or on a server. Embeddings are always our own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import astuple
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from chromadb.api import ClientAPI
from chromadb.api.collection_configuration import CreateHNSWConfiguration
from chromadb.errors import InvalidArgumentError, NotFoundError

from handrail.errors import HandrailError, RetryableError
from handrail.settings.tenants import OWN
from handrail.stores import audience as audiences
from handrail.stores.audience import Audience
from handrail.stores.chroma_client import close, connect, remove_database
from handrail.stores.filters import CLOSED, DOCUMENT, FROM, LANG, SEVERAL, TO, UPDATED, day, values, wanted
from handrail.stores.server import Collection, Server
from handrail.stores.store import (
    BUILD_WIDTH,
    NEIGHBOURS,
    SEARCH_WIDTH,
    Stamp,
    Store,
    in_order,
    name_of,
    not_indexed,
    of_another_width,
    stamps_of,
)
from handrail.types import Kind, PageImage, Passage, Place, Vectors
from handrail.types.filters import Filters

FACET = "facet_"
AUDIENCE = FACET + audiences.FACET
ON = "updated_on"
"""The date of an article as a number: Chroma compares only those."""
FACETS = (*SEVERAL, "source_type", "section", UPDATED, "deprecated", "superseded_by")
"""Those that a passage may have lost since it was last written."""
PAGE = 2000
HNSW: CreateHNSWConfiguration = {
    "space": "cosine",
    "ef_construction": BUILD_WIDTH,
    "max_neighbors": NEIGHBOURS,
    "ef_search": SEARCH_WIDTH,
}
DIMENSIONS = re.compile(r"expecting embedding with dimension of (\d+)")
"""What Chroma says to a vector of another length."""


@contextmanager
def _answering(kb: str, given: int = 0) -> Iterator[None]:
    """What the server says when it is away, or takes no vectors of `given` dimensions."""
    try:
        yield
    except httpx.TransportError as error:
        raise RetryableError(f"Chroma doesn't respond: {error}") from error
    except InvalidArgumentError as error:
        held = DIMENSIONS.search(str(error))
        if held is None:
            raise
        raise of_another_width(kb, held[1], given) from error


class ChromaStore(Store):
    """A collection; another embedder is another one."""

    def __init__(self, client: ClientAPI, kb: str, embedder: str, version: str = "") -> None:
        """`version` ends the name of the collection, where one Chroma has several."""
        self._client = client
        self.kb = kb
        self.embedder = embedder
        self.name = name_of(kb, embedder)
        self.collection = self.name + version
        self._for_agents: bool | None = None
        """Whether the index holds anything for agents only; None until somebody asks. Queries that need not filter are
        several times as fast."""

    def create(self, marks: Mapping[str, str | int] | None = None) -> None:
        """With `marks` in its metadata, where it is not there yet."""
        self._collection = self._client.get_or_create_collection(
            self.collection,
            embedding_function=None,
            configuration={"hnsw": HNSW},
            metadata={**(marks or {}), "kb": self.kb, "embedder": self.embedder, "generation": ""},
        )

    def open(self) -> None:
        """Raises KnowledgeError saying how to index when there is nothing yet."""
        try:
            self._collection = self._client.get_collection(self.collection, embedding_function=None)
        except NotFoundError:
            raise not_indexed(self.kb, self.embedder) from None
        except Exception as error:
            raise RetryableError(f"Chroma doesn't respond: {error}") from error
        self._for_agents = None

    @property
    def metadata(self) -> Mapping[str, Any]:
        return self._collection.metadata or {}

    def mark(self, marks: Mapping[str, str | int]) -> None:
        self._collection.modify(metadata={**self.metadata, **marks})
        self.open()

    def take(self, other: Store) -> None:
        assert isinstance(other, ChromaStore)  # noqa: S101 - of the same place
        fields = ("documents", "metadatas", "embeddings")
        for ids, documents, metadatas, embeddings in other._pages(list(fields), *fields):
            self._collection.upsert(ids=ids, documents=documents, metadatas=metadatas, embeddings=embeddings)
        self.mark({"front_matter": other.front_matter})

    def vectors(self, digests: Mapping[str, str]) -> dict[str, Vectors]:
        if not digests:
            return {}
        found: Mapping[str, Any] = self._collection.get(ids=list(digests), include=["metadatas", "embeddings"])
        rows = zip(found["ids"], found["metadatas"], found["embeddings"], strict=True)
        return {
            id_: np.asarray(vector, dtype=np.float32) for id_, told, vector in rows if told["digest"] == digests[id_]
        }

    def count(self) -> int:
        return int(self._collection.count())

    def stamps(self) -> dict[str, Stamp]:
        pages = (zip(ids, told, strict=True) for ids, told in self._pages(["metadatas"], "metadatas"))
        return stamps_of(
            [(one["article_id"], id_, one["digest"], int(one["of"])) for page in pages for id_, one in page]
        )

    def _write(
        self, passages: Sequence[Passage], vectors: Vectors, digests: Sequence[str], sizes: Sequence[int]
    ) -> None:
        self._for_agents = None
        with _answering(self.kb, vectors.shape[1]):
            self._collection.upsert(
                ids=[passage.id for passage in passages],
                embeddings=vectors,
                documents=[passage.text for passage in passages],
                metadatas=[_metadata(p, digest, of) for p, digest, of in zip(passages, digests, sizes, strict=True)],
            )

    def delete(self, ids: Sequence[str]) -> None:
        for start in range(0, len(ids), PAGE):
            self._collection.delete(ids=list(ids[start : start + PAGE]))

    def search(
        self, vector: Vectors, k: int, filters: Filters, audience: Audience = Audience.PUBLIC
    ) -> list[tuple[str, float]]:
        try:
            with _answering(self.kb, len(vector)):
                where = _where(filters, leave_out=audience is Audience.PUBLIC and self._has_some_for_agents())
                found = self._collection.query(
                    query_embeddings=vector[None, :], n_results=k, where=where, include=["distances"]
                )
        except HandrailError:
            raise
        except Exception as error:
            raise RetryableError(f"Chroma doesn't respond: {error}") from error
        distances = found["distances"] or [[]]
        return [(i, 1.0 - float(d)) for i, d in zip(found["ids"][0], distances[0], strict=True)]

    def _has_some_for_agents(self) -> bool:
        if self._for_agents is None:
            for_agents: Any = {AUDIENCE: {"$eq": Audience.AGENTS.value}}
            found = self._collection.get(where=for_agents, limit=1, include=[])
            self._for_agents = bool(found["ids"])
        return self._for_agents

    def dump(self, audience: Audience = Audience.PUBLIC) -> tuple[list[Passage], Vectors]:
        rows: list[tuple[Passage, Any]] = []
        for page in self._pages(["documents", "metadatas", "embeddings"], "documents", "metadatas", "embeddings"):
            rows += [(_passage(i, text, told), vector) for i, text, told, vector in zip(*page, strict=True)]
        passages, vectors = in_order(rows, audience)
        return passages, np.asarray(vectors, dtype=np.float32)

    def _pages(self, include: list[Any], *fields: str) -> Iterator[tuple[Any, ...]]:
        offset = 0
        while True:
            with _answering(self.kb):
                page: Mapping[str, Any] = self._collection.get(limit=PAGE, offset=offset, include=include)
            if not page["ids"]:
                return
            yield (page["ids"], *(page[field] for field in fields))
            offset += len(page["ids"])


class ChromaServer(Server):
    """What a tenant has on a Chroma server, in a database of its own, or all in one folder."""

    def __init__(self, folder: Path, url: str | None = None, tenant: str = OWN) -> None:
        self._client = connect(folder, url, tenant)
        self._url, self._tenant = url, tenant

    def store(self, kb: str, embedder: str, version: str = "") -> ChromaStore:
        return ChromaStore(self._client, kb, embedder, version)

    def collections(self) -> list[Collection]:
        with _answering(""):
            return [Collection(one.name, one.metadata or {}, one.count) for one in self._client.list_collections()]

    def remove(self, collection: str) -> None:
        with suppress(NotFoundError), _answering(""):
            self._client.delete_collection(collection)

    def clear(self) -> None:
        if self._url is not None and self._tenant != OWN:
            remove_database(self._url, self._tenant)
        else:
            for one in self.collections():
                self.remove(one.name)

    def close(self) -> None:
        close(self._client)


def _metadata(passage: Passage, digest: str, of: int) -> dict[str, Any]:
    """None takes out what an earlier version of the passage had: Chroma keeps what is not mentioned."""
    facets = passage.facets
    return {
        "article_id": passage.article_id,
        "position": passage.position,
        "title": passage.title,
        "headings": json.dumps(passage.headings, ensure_ascii=False),
        "url": passage.url,
        "tokens": passage.tokens,
        "digest": digest,
        "of": of,
        # Always said, as those below.
        "kind": passage.kind.value,
        "places": json.dumps(
            [[place.page, place.box, place.image and astuple(place.image)] for place in passage.places]
        ),
        ON: day(facets[UPDATED]) if UPDATED in facets else None,
        **{FACET + key: None for key in FACETS},
        **{FACET + key: list(values(facets, key)) if key in SEVERAL else value for key, value in facets.items()},
        # Always said, so that a search can ask for articles that do not say it.
        **{FACET + key: values(facets, key)[0] for key in (*CLOSED, LANG)},
    }


def _passage(passage_id: str, text: str, metadata: Mapping[str, Any]) -> Passage:
    said = {key.removeprefix(FACET): value for key, value in metadata.items() if key.startswith(FACET)}
    facets = {key: "\n".join(value) if key in SEVERAL else str(value) for key, value in said.items()}
    facets = {key: value for key, value in facets.items() if (value,) != values({}, key)}
    return Passage(
        id=passage_id,
        article_id=metadata["article_id"],
        position=int(metadata["position"]),
        title=metadata["title"],
        headings=tuple(json.loads(metadata["headings"])),
        text=text,
        url=metadata["url"],
        tokens=int(metadata["tokens"]),
        facets=facets,
        kind=Kind(metadata.get("kind", "")),
        places=tuple(_stands(*place) for place in json.loads(metadata.get("places", "[]"))),
    )


def _stands(page: int, box: list[float] | None, image: list[Any] | None = None) -> Place:
    left, top, right, bottom = box or (0.0,) * 4
    return Place(page, (left, top, right, bottom) if box else None, PageImage(*image) if image else None)


def _where(filters: Filters, *, leave_out: bool) -> Any:
    """`leave_out` what is for agents."""
    clauses = [clause for key, value in filters.items() if (clause := _clause(key, wanted(value))) is not None]
    if leave_out:
        clauses.append({AUDIENCE: {"$ne": Audience.AGENTS.value}})
    return {"$and": clauses} if len(clauses) > 1 else next(iter(clauses), None)


def _clause(key: str, asked: Sequence[str]) -> Any:
    """None where every passage is asked for."""
    if key in (FROM, TO):
        return {ON: {"$gte" if key == FROM else "$lte": day(asked[0])}}
    if key == DOCUMENT:
        return {"article_id": {"$in": list(asked)}}
    if key in CLOSED and values({}, key)[0] in asked:
        # An index that is older than the key does not say it, and Chroma counts that as unlike any.
        others = [value for value in CLOSED[key] if value not in asked]
        return {FACET + key: {"$nin": others}} if others else None
    if key in SEVERAL:
        either = [{FACET + key: {"$contains": value}} for value in asked]
        return {"$or": either} if len(either) > 1 else either[0]
    return {FACET + key: {"$in": list(asked)}}
