"""A folder in one file: a compressed tar whose last member, the manifest, has the digest of every other.

An archive that was cut short has no manifest, so nothing of it is used.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from handrail.errors import PermanentError

FORMAT = 1
MANIFEST = "manifest.json"
PRIVATE, PRIVATE_FOLDER = 0o600, 0o700
CHUNK = 1 << 20
LONGEST_MANIFEST = 64 << 20


class BadArchive(PermanentError):
    """An archive that is damaged, or holds what no backup does. Nothing of it is used."""


def pack(folder: Path, target: Path, about: dict[str, Any]) -> dict[str, Any]:
    """Write `folder` to `target`, which must not exist, readable for its owner alone, and read it again.

    Returns the manifest: `about`, and `files` with size and SHA-256. `target` appears when it is complete and checked.
    """
    files: dict[str, dict[str, Any]] = {}
    with _part(target) as part:
        with part.open("wb") as raw, tarfile.open(fileobj=raw, mode="w:gz", format=tarfile.PAX_FORMAT) as tar:
            for path in sorted(path for path in folder.rglob("*") if path.is_file()):
                name = path.relative_to(folder).as_posix()
                with path.open("rb") as file:
                    files[name] = {
                        "bytes": path.stat().st_size,
                        "sha256": hashlib.file_digest(file, "sha256").hexdigest(),
                    }
                    file.seek(0)
                    tar.addfile(_member(name, files[name]["bytes"]), file)
            manifest = {"format": FORMAT, **about, "files": files}
            told = json.dumps(manifest, indent=1).encode()
            tar.addfile(_member(MANIFEST, len(told)), io.BytesIO(told))
        _sync(part)
        if read(part) != manifest:
            raise BadArchive(f"{target} was not written: what was read again differs")
        _appear(part, target)
    return manifest


def read(archive: Path, into: Path | None = None) -> dict[str, Any]:
    """Check every file against the manifest, which is returned; with `into`, an empty folder, write them there.

    Raises BadArchive.
    """
    found: dict[str, dict[str, Any]] = {}
    told: bytes | None = None
    try:
        with tarfile.open(archive, "r:gz") as tar:
            for member in tar:
                _allowed(archive, member, found, ended=told is not None)
                source = tar.extractfile(member)
                assert source is not None  # noqa: S101 - it is a regular file
                if member.name == MANIFEST:
                    told = source.read(LONGEST_MANIFEST)
                else:
                    found[member.name] = _copied(source, into / member.name if into else None)
        manifest: dict[str, Any] = json.loads(told or b"null")
        newer = manifest["format"] > FORMAT
    except (tarfile.TarError, gzip.BadGzipFile, zlib.error, EOFError, ValueError, KeyError, TypeError) as error:
        raise BadArchive(f"{archive} is damaged, or no backup of Handrail ({type(error).__name__})") from None
    except OSError as error:
        raise BadArchive(f"{archive} can't be read or unpacked: {error.strerror or error}") from None
    if newer:
        raise BadArchive(f"{archive} was made by a newer Handrail ({manifest.get('handrail')}): upgrade this one first")
    wrong = [name for name in sorted({*found, *manifest["files"]}) if found.get(name) != manifest["files"].get(name)]
    if wrong:
        raise BadArchive(f"{archive} is damaged: {wrong[0]} is not what was backed up")
    return manifest


def _allowed(archive: Path, member: tarfile.TarInfo, found: dict[str, Any], *, ended: bool) -> None:
    """Only regular files, each once, below the folder they are unpacked to, and nothing after the manifest."""
    name, path = member.name, PurePosixPath(member.name)
    if not member.isreg() or member.issparse():
        raise BadArchive(f"{archive} holds {name!r}, which is no plain file; no backup does")
    if path.is_absolute() or ".." in path.parts or path.as_posix() != name or "\\" in name or "\0" in name:
        raise BadArchive(f"{archive} holds {name!r}, which leads out of the folder; no backup does")
    if ended or name in found:
        raise BadArchive(f"{archive} holds {name!r} where no backup does")


def _copied(source: Any, target: Path | None) -> dict[str, Any]:
    digest, size = hashlib.sha256(), 0
    out: BinaryIO | None = None
    if target is not None:
        _folder(target.parent)
        out = os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE), "wb")
    try:
        while chunk := source.read(CHUNK):
            digest.update(chunk)
            size += len(chunk)
            if out is not None:
                out.write(chunk)
        if out is not None:
            out.flush()
            os.fsync(out.fileno())
    finally:
        if out is not None:
            out.close()
    return {"bytes": size, "sha256": digest.hexdigest()}


def _folder(path: Path) -> None:
    """Private, and so are those above it that are made."""
    if not path.is_dir():
        _folder(path.parent)
        path.mkdir(mode=PRIVATE_FOLDER)


def _member(name: str, size: int) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.size, member.mode = size, PRIVATE
    return member


@contextmanager
def _part(target: Path) -> Iterator[Path]:
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}-")  # for its owner alone
    os.close(handle)
    try:
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)


def _appear(part: Path, target: Path) -> None:
    """All at once, and never in the place of another. Raises FileExistsError."""
    try:
        os.link(part, target)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        if target.exists():
            raise FileExistsError(target) from None
        part.replace(target)
    with suppress(OSError):  # not every file system has folders that can be synced
        _sync(target.parent)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
