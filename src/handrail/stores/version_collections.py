"""Versions on a Chroma server: a collection each. The metadata of one more collection names the one to read."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict

from chromadb.api import ClientAPI
from chromadb.errors import NotFoundError

from handrail.errors import KnowledgeError, RetryableError
from handrail.stores.chroma import ChromaStore, close
from handrail.stores.versions import OLD, Opened, Version, Versions, now

CURRENT, NUMBER = "current", "number"


class VersionCollections(Versions):
    def __init__(self, client: ClientAPI, kb: str, embedder: str) -> None:
        super().__init__(kb, embedder)
        self._client = client
        self._head = ChromaStore(client, kb, embedder)

    def current(self) -> int | None:
        try:
            self._head.open()
        except KnowledgeError:
            return None
        told = self._head.metadata
        return int(told[CURRENT]) if CURRENT in told else OLD if self._head.generation else None

    def same(self, opened: Opened) -> bool:
        """After a knowledge base was removed and made again, its numbers are those from before."""
        if not super().same(opened):
            return False
        try:
            return opened.store.still_there()
        except KnowledgeError:
            return False

    def found(self) -> list[Version]:
        versions = []
        for collection in self._client.list_collections():
            told = dict(collection.metadata or {})
            if (told.get("kb"), told.get("embedder")) == (self.kb, self.embedder):
                if NUMBER in told:
                    about = {key: told[key] for key in Version.__dataclass_fields__ if key in told}
                    versions.append(Version(**{**about, "generation": told["complete"]}))
                elif told.get("generation"):
                    versions.append(Version(OLD, "", told["generation"], 0, collection.count()))
        return sorted(versions, key=lambda version: -version.number)

    def open(self, number: int) -> Opened:
        store = self._store(number)
        store.open()
        return Opened(number, store, lambda: None)

    def begin(self, base: ChromaStore | None) -> Opened:
        self._head.create()
        number = max((version.number for version in self.found()), default=OLD) + 1
        store = self._store(number)
        store.create({**asdict(Version(number, now())), "complete": ""})
        if base is not None:
            store.take(base)
        return Opened(number, store, lambda: None)

    def close(self) -> None:
        close(self._client)

    def _store(self, number: int) -> ChromaStore:
        return ChromaStore(self._client, self.kb, self.embedder, f".v{number}" if number else "")

    def _complete(self, version: Version) -> None:
        store = self._store(version.number)
        store.open()
        store.mark({**asdict(version), "complete": version.generation})

    def _point(self, number: int) -> None:
        self._head.open()
        self._head.mark({CURRENT: number})

    def _remove(self, number: int) -> None:
        if number != OLD:
            with suppress(NotFoundError, RetryableError):
                self._client.delete_collection(self._store(number).collection)
