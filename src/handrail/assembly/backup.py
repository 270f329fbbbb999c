"""What a deployment cannot make again, in one archive; a server may run and write meanwhile.

Databases come first, each as one moment of it, and then the files: an article that was approved in between is in the
archive although its record is not yet, never the other way round. What can be made again from the rest is left out.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping, Set
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from handrail import __version__
from handrail.accounts.tenants import Tenants
from handrail.assembly.archive import pack
from handrail.errors import PermanentError, RetryableError
from handrail.records.database import database_url
from handrail.settings import Settings, Storage
from handrail.settings.load import PATHS
from handrail.settings.paths import PACKAGE
from handrail.settings.tenants import FOLDER as TENANTS
from handrail.stores.lock import IndexLock
from handrail.stores.version_folders import FOLDER as VERSIONS
from handrail.stores.version_folders import VersionFolders, embedders
from handrail.stores.versions import now

DATA, SETTINGS = "data", "settings"
"""The two folders of an archive."""
RESTORED = "restored-settings"
"""Where the second is put in a data folder."""
RECORDS = "handrail.sqlite"
SQLITE = b"SQLite format 3\0"
MADE_AGAIN = frozenset({"snapshot", "states", "multilingual.npz", "suggestions.json"})
"""Of a knowledge base."""
NOT_KEPT = frozenset({"eval", "docs", RESTORED, TENANTS})
"""Of a data folder. Each tenant's is gathered by itself."""
TRIES = 5
LOCK_WAIT_S = 30.0


@dataclass(frozen=True, slots=True)
class Backup:
    """What is in an archive, and what has to be backed up in another way."""

    file: Path
    bytes: int
    files: int
    tenants: int
    elsewhere: tuple[str, ...]


def backup(settings: Settings, target: Path, beside: list[Path]) -> Backup:
    """Write `target`, which must not exist, with the data folder and the settings files `beside`.

    Raises PermanentError where that can't be, and RetryableError where files change all the time.
    """
    data_dir = settings.storage.data_dir.resolve()
    check_target(data_dir, target)
    tenants = [tenant.name for tenant in Tenants(data_dir).all()]
    try:
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".handrail-backup-") as scratch:
            staged = Path(scratch)
            gather(sqlite_records(settings.storage), data_dir, staged / DATA)
            for name in tenants:
                place = data_dir / TENANTS / name
                gather(place / RECORDS, place, staged / DATA / TENANTS / name)
            for path in beside:
                _copy(path, staged / SETTINGS / path.name)
            about = {"handrail": __version__, "made": now(), "elsewhere": list(_elsewhere(settings))}
            manifest = pack(staged, target, about)
    except FileExistsError:
        raise PermanentError(f"{target} exists already: a backup never replaces a file") from None
    except (OSError, sqlite3.Error) as error:
        raise PermanentError(f"no backup was written: {error}") from error
    return Backup(target, target.stat().st_size, len(manifest["files"]), len(tenants), tuple(about["elsewhere"]))


def sqlite_records(storage: Storage) -> Path | None:
    """The file of the records; None where they are on a server or in memory."""
    url = database_url(storage)
    if url.get_backend_name() != "sqlite" or url.database in (None, "", ":memory:"):
        return None
    return Path(url.database or "")


def check_target(data_dir: Path, target: Path) -> None:
    """Raises PermanentError where an archive of `data_dir` can't be written."""
    if not data_dir.is_dir():
        raise PermanentError(f"there is no data folder {data_dir}: nothing to back up")
    if target.exists():
        raise PermanentError(f"{target} exists already: a backup never replaces a file")
    if not target.parent.is_dir():
        raise PermanentError(f"{target.parent}: no such folder")
    if target.resolve().is_relative_to(data_dir):
        raise PermanentError(f"{target} is inside the data folder {data_dir}: write the backup to another place")


def _elsewhere(settings: Settings) -> Iterator[str]:
    """What this archive does not have, in words for whoever made it."""
    storage = settings.storage
    if sqlite_records(storage) is None:
        yield "the records (storage.database_url): dump that database, for PostgreSQL with `pg_dump`"
    if storage.index == "postgres":
        yield "the index: a dump of the database has it (schema handrail_index), or ingest again"
    elif storage.served_index:
        yield "the index on its server: back that up, or ingest again"
    for section, key in PATHS:
        path: Path | None = getattr(getattr(settings, section), key)
        if path is None or section in ("models", "judge"):  # fetched, or asked, again
            continue
        if not any(path.resolve().is_relative_to(place) for place in (PACKAGE, storage.data_dir.resolve())):
            yield f"{section}.{key}: {path}"


def gather(records: Path | None, place: Path, into: Path) -> None:
    """The data folder of one company: its database, then its files as they all were at one time."""
    for _ in range(TRIES):
        with suppress(FileNotFoundError), _versions_held(place):  # a file that was replaced since it was listed
            before = _state(place)
            if records is not None and records.is_file():
                _copy(records, into / RECORDS)
            for path in before:
                if path != RECORDS:
                    _copy(place / path, into / path)
            if _state(place) == before:
                return
        shutil.rmtree(into, ignore_errors=True)
    raise RetryableError(f"files in {place} change all the time: try again when no other command writes there")


def _state(place: Path) -> dict[str, tuple[int, int]]:
    """The files to keep, each with what tells that it has changed; a database's copy is consistent by itself."""
    found = {}
    for path in _files(place):
        status = path.stat()
        stamp = (0, 0) if _is_sqlite(path) else (status.st_mtime_ns, status.st_size)
        found[path.relative_to(place).as_posix()] = stamp
    return found


def _files(place: Path) -> Iterator[Path]:
    """Raises PermanentError for a link: an archive would not hold what it leads to."""
    current = {kb.name: _current(kb) for kb in (place / "kb").glob("*")}
    for folder, folders, names in os.walk(place):
        parts = Path(folder).relative_to(place).parts
        folders[:] = sorted(name for name in folders if _kept((*parts, name), current))
        kept = [Path(folder, name) for name in sorted(names) if _kept((*parts, name), current)]
        for path in (*kept, *(Path(folder, name) for name in folders)):
            if path.is_symlink():
                raise PermanentError(f"{path} is a link; a backup holds only what is in the data folder itself")
        yield from (path for path in kept if path.is_file())


def _kept(parts: tuple[str, ...], current: Mapping[str, Set[str]]) -> bool:
    """False for scratch, for an index that is no longer read, and for what is made again from the rest."""
    name = parts[-1]
    if name.startswith(".") or name.endswith((".lock", ".part", "-wal", "-shm", "-journal")):
        return False
    match parts:
        case [only]:
            return only not in NOT_KEPT
        case ["kb", _, only]:
            return only not in MADE_AGAIN
        case ["kb", kb, "versions", number]:
            return number in current.get(kb, ())
        case ["kb", _, "sources", only]:
            return not only.startswith("git-")  # a copy of a repository
        case ["kb", _, "tune", only]:
            return not only.endswith(".npz")  # what the models said
    return True


def _current(kb: Path) -> set[str]:
    """The versions that are read, one for each embedder."""
    versions = (VersionFolders(kb, kb, kb.name, embedder).current() for embedder in embedders(kb))
    return {str(number) for number in versions if number}


@contextmanager
def _versions_held(place: Path) -> Iterator[None]:
    """Nobody removes the versions that are read."""
    with ExitStack() as held:
        for kb in (place / "kb").glob("*"):
            for number in _current(kb):
                held.enter_context(IndexLock(kb / VERSIONS / number, write=False))
        yield


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if not _is_sqlite(source):
        shutil.copyfile(source, target)
        return
    with closing(_readable(source)) as held, closing(sqlite3.connect(target)) as copy:
        held.backup(copy)
        (said,) = copy.execute("PRAGMA quick_check(1)").fetchone()
    if said != "ok":
        raise PermanentError(f"{source} is damaged, so no backup was written: {said}")


def _is_sqlite(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(SQLITE)) == SQLITE


def _readable(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=LOCK_WAIT_S)
