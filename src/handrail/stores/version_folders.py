"""Versions on disk: a folder each, and a small file that names the one to read.

var/kb/NAME/current.json         which version, by embedder
var/kb/NAME/versions/3/          version.json, chroma/, and the lock of those who read it
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import tempfile
from contextlib import closing, suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from handrail.errors import HandrailError, IndexBusy, KnowledgeError
from handrail.stores.chroma import ChromaStore
from handrail.stores.chroma_client import CHROMA, DATABASE, close, connect, holds
from handrail.stores.lock import IndexLock
from handrail.stores.store import Store, not_indexed
from handrail.stores.versions import OLD, Opened, Version, Versions, now

POINTER, FOLDER, ABOUT = "current.json", "versions", "version.json"
PART = ".part-"


class VersionFolders(Versions):
    def __init__(self, folder: Path, shared: Path, kb: str, embedder: str) -> None:
        """`folder` is the knowledge base's own; `shared` is where all had theirs once."""
        super().__init__(kb, embedder)
        self._folder = folder
        self._shared = shared
        self._versions = folder / FOLDER

    def current(self) -> int | None:
        pointers = _read(self._folder / POINTER)
        if self.embedder in pointers:
            return int(pointers[self.embedder])
        return OLD if self._old() is not None else None

    def found(self) -> list[Version]:
        versions = []
        for path in self._versions.glob(f"[0-9]*/{ABOUT}"):
            about = _read(path)
            if about.pop("embedder", None) == self.embedder:
                versions.append(Version(**about))
        old = self._old()
        if old is not None and not any(version.number == OLD for version in versions):
            with suppress(KnowledgeError), self.open(OLD) as store:
                generation = "" if store.incomplete else store.generation
                versions.append(Version(OLD, "", generation, len(store.stamps()), store.count()))
        return sorted(versions, key=lambda version: -version.number)

    def open(self, number: int) -> Opened:
        if number == OLD:  # never changed again, nor removed
            place = self._old()
            if place is None:
                raise not_indexed(self.kb, self.embedder)
            return self._opened(number, place, None)
        place = self._versions / str(number)
        gone = KnowledgeError(f"knowledge base {self.kb!r} has no version {number} any more")
        if not (place / ABOUT).is_file():
            raise gone
        lock = IndexLock(place, write=False)
        if not (place / ABOUT).is_file():  # removed in between
            lock.release()
            raise gone
        return self._opened(number, place, lock)

    def begin(self, base: Store | None) -> Opened:
        """Files are copied as they are, so that nothing is indexed again."""
        self._versions.mkdir(parents=True, exist_ok=True)
        for left in self._versions.glob(f"{PART}*"):
            shutil.rmtree(left, ignore_errors=True)
        number, part = self._next(), Path(tempfile.mkdtemp(dir=self._versions, prefix=PART))
        current = self.current()
        if base is not None and current:
            _copy(self._versions / str(current) / CHROMA, part / CHROMA)
        _write(part / ABOUT, {**asdict(Version(number, now())), "embedder": self.embedder})
        place = self._versions / str(number)
        part.rename(place)
        client = connect(place, None)
        store = ChromaStore(client, self.kb, self.embedder)
        store.create()
        if base is not None and not current:
            store.take(base)
        return Opened(number, store, partial(close, client))

    def _opened(self, number: int, place: Path, lock: IndexLock | None) -> Opened:
        client = None

        def release() -> None:
            if client is not None:
                close(client)
            if lock is not None:
                lock.release()

        try:
            client = connect(place, None)
            store = ChromaStore(client, self.kb, self.embedder)
            store.open()
        except HandrailError:
            release()
            raise
        except Exception as error:
            release()
            raise KnowledgeError(
                f"version {number} of knowledge base {self.kb!r} is damaged ({error}). Go back to another with "
                "`handrail kb rollback`"
            ) from error
        return Opened(number, store, release)

    def _complete(self, version: Version) -> None:
        """Everything is on the disk before anything says so: a machine may lose its power."""
        for path in (self._versions / str(version.number)).rglob("*"):
            _sync(path)
        about = {**asdict(version), "embedder": self.embedder}
        _write(self._versions / str(version.number) / ABOUT, about)

    def _point(self, number: int) -> None:
        _write(self._folder / POINTER, {**_read(self._folder / POINTER), self.embedder: number})

    def _remove(self, number: int) -> None:
        if number == OLD:
            return
        place = self._versions / str(number)
        with suppress(IndexBusy), IndexLock(place, write=True):
            gone = place.rename(self._versions / f"{PART}{number}")
            shutil.rmtree(gone, ignore_errors=True)

    def _next(self) -> int:
        """Numbers are used once, whatever the embedder."""
        used = [int(path.name) for path in self._versions.iterdir() if path.name.isdigit()]
        return max(used, default=OLD) + 1

    def _old(self) -> Path | None:
        return next((place for place in (self._folder, self._shared) if holds(place, self.kb)), None)


def embedders(folder: Path) -> set[str]:
    """With which a knowledge base's folder has versions, complete or not."""
    told = [_read(path) for path in (folder / FOLDER).glob(f"[0-9]*/{ABOUT}")]
    return {about["embedder"] for about in told if about}


def _copy(source: Path, target: Path) -> None:
    """The database as one state of it, and the files of its vectors, which nobody changes."""
    shutil.copytree(source, target, ignore=lambda _, names: [name for name in names if name.startswith(DATABASE)])
    with closing(sqlite3.connect(source / DATABASE)) as held, closing(sqlite3.connect(target / DATABASE)) as copy:
        held.backup(copy)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _read(path: Path) -> dict[str, Any]:
    """Empty where there is no such file."""
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except ValueError:
        raise KnowledgeError(f"{path} is damaged. Remove it and ingest again") from None
    return found


def _write(path: Path, told: dict[str, Any]) -> None:
    """Beside it, then renamed: whoever reads sees the old or the new."""
    handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            json.dump(told, out, indent=2)
            out.flush()
            os.fsync(out.fileno())
        Path(scratch).replace(path)
        _sync(path.parent)
    finally:
        Path(scratch).unlink(missing_ok=True)
