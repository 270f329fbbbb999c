"""An archive becomes a data folder again, whole or not at all; the folder that was there is moved aside."""

from __future__ import annotations

import sqlite3
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from handrail.assembly.archive import BadArchive, read
from handrail.assembly.backup import DATA, RECORDS, RESTORED, SETTINGS
from handrail.errors import IndexBusy, PermanentError
from handrail.records.migrate import revisions
from handrail.stores.lock import IndexLock


@dataclass(frozen=True, slots=True)
class Restored:
    """Where the data are now; `before` is where the folder is that was there."""

    folder: Path
    made: str
    files: int
    elsewhere: tuple[str, ...]
    settings: tuple[str, ...]
    before: Path | None


def restore(archive: Path, folder: Path, *, force: bool = False) -> Restored:
    """Unpack `archive` beside `folder` and, when all is checked, put it in its place.

    Raises BadArchive, and PermanentError where `folder` holds something and not `force`, or a server uses it.
    """
    folder = folder.absolute()
    _check(folder, force=force)
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".handrail-restore-") as scratch:
            unpacked = Path(scratch)
            manifest = read(archive, unpacked)
            fresh = unpacked / DATA
            fresh.mkdir(mode=0o700, exist_ok=True)
            _known(archive, fresh)
            settings = unpacked / SETTINGS
            names = tuple(sorted(path.name for path in settings.glob("*"))) if settings.is_dir() else ()
            if names:
                settings.rename(fresh / RESTORED)
            before = _swap(fresh, folder)
    except OSError as error:
        raise PermanentError(f"nothing was restored: {error}") from error
    elsewhere = tuple(map(str, manifest.get("elsewhere", ())))
    return Restored(folder, str(manifest.get("made", "")), len(manifest["files"]), elsewhere, names, before)


def _check(folder: Path, *, force: bool) -> None:
    if folder.is_symlink() or folder.is_mount():
        raise PermanentError(f"{folder} is a link or a mount point, which can't be replaced: name a folder inside it")
    if not folder.exists() or not any(folder.iterdir()):
        return
    if not force:
        raise PermanentError(
            f"{folder} isn't empty. Name another folder with --into, or use --force, which moves this one aside"
        )
    for version in folder.glob("**/kb/*/versions/[0-9]*"):
        try:
            IndexLock(version, write=True).release()
        except IndexBusy:
            raise PermanentError(f"{folder} is in use: stop the server first") from None


def _known(archive: Path, folder: Path) -> None:
    """Raises BadArchive for tables that this version does not know."""
    for records in (folder / RECORDS, *folder.glob(f"tenants/*/{RECORDS}")):
        if not records.exists():
            continue
        with closing(sqlite3.connect(records)) as database:
            try:
                found = {revision for (revision,) in database.execute("SELECT version_num FROM alembic_version")}
            except sqlite3.DatabaseError:
                raise BadArchive(f"{archive} is damaged: {RECORDS} holds no records") from None
        if not found <= revisions():
            raise BadArchive(f"{archive} has records of a newer Handrail: upgrade this one first")


def _swap(fresh: Path, folder: Path) -> Path | None:
    """Nothing of what was in `folder` is lost: an error between the two steps puts it back."""
    before = None
    if folder.exists() and any(folder.iterdir()):
        before = folder.with_name(f"{folder.name}.before-{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}")
        if before.exists():
            raise PermanentError(f"{before} exists: try again in a second")
        folder.rename(before)
    try:
        fresh.rename(folder)
    except OSError:
        if before is not None:
            before.rename(folder)
        raise
    return before
