"""The versions of a knowledge base as the settings place them: on disk, or on a server."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager

from chromadb.errors import ChromaError

from handrail.assembly.fitted import kb_folder
from handrail.assembly.servers import in_folder, server_of
from handrail.errors import HandrailError, KnowledgeError
from handrail.settings import Settings
from handrail.stores.chroma_client import holds
from handrail.stores.lock import IndexLock
from handrail.stores.page_images import PageImages
from handrail.stores.server import of_kb
from handrail.stores.store import Store
from handrail.stores.version_collections import VersionCollections
from handrail.stores.version_folders import FOLDER, VersionFolders
from handrail.stores.versions import OLD, Opened, Versions


def versions_of(settings: Settings, embedder: str | None = None) -> Versions:
    """By default those made with the embedder in use. Raises RetryableError while a server is away."""
    kb, embedder, storage = settings.knowledge.kb, embedder or settings.models.embedder, settings.storage
    server = server_of(storage)
    if server is None:
        return VersionFolders(kb_folder(settings, kb), storage.data_dir, kb, embedder)
    return VersionCollections(server, kb, embedder)


@contextmanager
def current_index(settings: Settings) -> Iterator[Store]:
    """The current version, to read. Raises KnowledgeError where nothing is indexed."""
    versions = versions_of(settings)
    try:
        with versions.read() as store:
            yield store
    finally:
        versions.close()


def page_images(settings: Settings) -> PageImages | None:
    """Those of the knowledge base; None where none are wanted."""
    knowledge = settings.knowledge
    return PageImages(kb_folder(settings, knowledge.kb)) if knowledge.page_images else None


class Writing:
    """A new version on its way: nobody reads it before `publish`."""

    def __init__(self, versions: Versions, *, needed: bool) -> None:
        self._versions = versions
        self._base = versions.base(needed=needed)
        self._new: Opened | None = None

    @property
    def store(self) -> Store | None:
        """What is held so far: the new version once it is begun, else the current one; None where there is neither."""
        opened = self._new or self._base
        return opened.store if opened is not None else None

    def begin(self) -> Store:
        if self._new is None:
            self._new = self._versions.begin(self._base.store if self._base is not None else None)
        return self._new.store

    def unfinished(self) -> Iterable[Store]:
        return self._versions.unfinished(self._new.number if self._new is not None else 0)

    def publish(self) -> int:
        """The number of the version that is current now: the same as before where nothing has changed."""
        if self._new is not None:
            self._versions.publish(self._new)
        opened = self._new or self._base
        return opened.number if opened is not None else OLD

    def release(self) -> None:
        for opened in (self._new, self._base):
            if opened is not None:
                opened.release()


@contextmanager
def writing(settings: Settings, *, needed: bool = True) -> Iterator[Writing]:
    """What becomes the current version when it is published; one at a time writes. Raises IndexBusy.

    Articles that are not read again are lost where the current version is missing or damaged, so it is `needed`, unless
    all are. A full disk or a folder that cannot be written is one clear error, and the current version stays.
    """
    with changing(settings) as versions:
        made = Writing(versions, needed=needed)
        try:
            yield made
        finally:
            made.release()


@contextmanager
def changing(settings: Settings) -> Iterator[Versions]:
    """The versions, for the only process that may change them. Raises IndexBusy."""
    kb = settings.knowledge.kb
    with IndexLock(kb_folder(settings, kb), write=True):
        versions = versions_of(settings)
        try:
            with versions.writing():
                yield versions
        except (OSError, sqlite3.Error, ChromaError) as error:
            raise HandrailError(f"knowledge base {kb!r} stays as it is, because writing failed: {error}") from error
        finally:
            versions.close()


def indexed(settings: Settings) -> bool:
    """Whether there is anything on disk to answer from, or a first ingest that may still finish."""
    versions = versions_of(settings)
    try:
        return versions.current() is not None or bool(versions.found())
    except KnowledgeError:
        return False
    finally:
        versions.close()


def drop(settings: Settings) -> None:
    """Remove a knowledge base with all its versions and fitted files. Raises IndexBusy while it is read or written."""
    kb, storage = settings.knowledge.kb, settings.storage
    own = kb_folder(settings, kb)
    with ExitStack() as held:
        held.enter_context(IndexLock(own, write=True))
        for version in (own / FOLDER).glob("[0-9]*"):
            held.enter_context(IndexLock(version, write=True))
        server = server_of(storage)
        if server is None and holds(storage.data_dir, kb):
            held.enter_context(IndexLock(storage.data_dir, write=True))
            server = in_folder(storage.data_dir)
        if server is not None:
            held.callback(server.close)
            held.enter_context(server.writing(kb))
            for name in of_kb(server, kb):
                server.remove(name)
        shutil.rmtree(own, ignore_errors=True)
