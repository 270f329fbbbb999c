"""Versions on a server: a collection each. The marks of one more collection name the one to read."""

from __future__ import annotations

from contextlib import AbstractContextManager, suppress
from dataclasses import asdict

from handrail.errors import HandrailError, KnowledgeError, RetryableError
from handrail.stores.server import Server
from handrail.stores.store import Store
from handrail.stores.versions import OLD, Opened, Version, Versions, now

CURRENT, NUMBER = "current", "number"


class VersionCollections(Versions):
    def __init__(self, server: Server, kb: str, embedder: str) -> None:
        super().__init__(kb, embedder)
        self._server = server
        self._head = server.store(kb, embedder)

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
        now = self._store(opened.number)
        try:
            now.open()
        except KnowledgeError:
            return False
        return all(now.metadata.get(mark) == opened.store.metadata.get(mark) for mark in ("made", "generation"))

    def found(self) -> list[Version]:
        versions = []
        for collection in self._server.collections():
            told = dict(collection.marks)
            if (told.get("kb"), told.get("embedder")) == (self.kb, self.embedder):
                if NUMBER in told:
                    about = {key: told[key] for key in Version.__dataclass_fields__ if key in told}
                    versions.append(Version(**{**about, "generation": told["complete"]}))
                elif told.get("generation"):
                    versions.append(Version(OLD, "", told["generation"], 0, collection.count()))
        return sorted(versions, key=lambda version: -version.number)

    def open(self, number: int) -> Opened:
        store = self._store(number)
        release = self._server.reading(store.collection)
        try:
            store.open()
        except HandrailError:
            release()
            raise
        return Opened(number, store, release)

    def begin(self, base: Store | None) -> Opened:
        self._head.create()
        number = max((version.number for version in self.found()), default=OLD) + 1
        store = self._store(number)
        store.create({**asdict(Version(number, now())), "complete": ""})
        if base is not None:
            store.take(base)
        return Opened(number, store, lambda: None)

    def close(self) -> None:
        self._server.close()

    def writing(self) -> AbstractContextManager[object]:
        return self._server.writing(self.kb)

    def _store(self, number: int) -> Store:
        return self._server.store(self.kb, self.embedder, f".v{number}" if number else "")

    def _complete(self, version: Version) -> None:
        store = self._store(version.number)
        store.open()
        store.mark({**asdict(version), "complete": version.generation})

    def _point(self, number: int) -> None:
        self._head.open()
        self._head.mark({CURRENT: number})

    def _remove(self, number: int) -> None:
        if number != OLD:
            with suppress(RetryableError):
                self._server.remove(self._store(number).collection)
