"""Corpora on disk: folders and archives of pages, files of articles, and their hashes."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from eval.datasets.lines import DatasetError
from handrail.knowledge import Loader
from handrail.knowledge.folder import Folder
from handrail.knowledge.formats import FORMATS
from handrail.knowledge.formats.rows import Rows
from handrail.knowledge.wixqa import WixQA
from handrail.settings import Settings

ARCHIVES = (".tar.gz", ".tgz", ".tar", ".tar.bz2", ".tar.xz", ".zip")
MAX_PAGES = 200_000
PAGES = FORMATS.keys() - Rows.suffixes
"""Rows beside pages may be questions about them."""
ABOUT_FILES = {"readme", "license", "changelog"}
KB_NAME = re.compile(r"[^a-z0-9]+")


def loader_of(path: Path, settings: Settings) -> Loader:
    """For a folder or archive of Markdown or MDX, or JSON lines of articles. Raises DatasetError or KnowledgeError."""
    if not path.exists():
        raise DatasetError(f"{path}: no such file or folder; name the articles with --corpus")
    if is_archive(path):
        return pages(unpacked(path, settings), settings)
    if path.is_file() and path.suffix.lower() not in PAGES:
        return WixQA(path)
    if path.is_dir() and not any(map(_tells, _pages_in(path))) and any(path.glob("*.jsonl")):
        return WixQA(path)
    return Folder(path, settings.knowledge.url_base, settings.knowledge.max_article_bytes)


def pages(folder: Path, settings: Settings) -> Folder:
    return Folder(root_of(folder), settings.knowledge.url_base, settings.knowledge.max_article_bytes)


def root_of(folder: Path, *, about: bool = True) -> Path:
    """The deepest folder that holds every page, so that ids are the same for an archive and for what was in it.

    With `about` false a readme, licence or changelog is no page: it lies beside the folder of articles as often as not.
    """
    parents = {page.parent for page in _pages_in(folder) if about or _tells(page)}
    if not parents:
        raise DatasetError(f"{folder}: holds no pages ({', '.join(sorted(PAGES))})")
    common = sorted(parents)[0]
    while not all(parent.is_relative_to(common) for parent in parents):
        common = common.parent
    return common


def pages_digest(path: Path, settings: Settings) -> tuple[int, str]:
    """How many pages, and sha256 over their relative paths and bytes."""
    folder = unpacked(path, settings) if is_archive(path) else path
    if not folder.is_dir():
        raise DatasetError(f"{path}: not a folder or an archive of pages")
    root = root_of(folder)
    held = hashlib.sha256()
    found = sorted((page.relative_to(root).as_posix(), page) for page in _pages_in(root))
    for name, page in found:
        held.update(f"{name}\0{hashlib.sha256(page.read_bytes()).hexdigest()}\n".encode())
    return len(found), held.hexdigest()


def articles_digest(rows: Iterable[Any]) -> tuple[int, str]:
    """How many articles, and sha256 over ids and texts as they were published, in the order of ids."""
    held = sorted(
        json.dumps([str(row.get("id")), row.get("contents") or row.get("text") or ""], ensure_ascii=False)
        for row in rows
        if isinstance(row, dict)
    )
    return len(held), hashlib.sha256("\n".join(held).encode(errors="replace")).hexdigest()


def unpacked(archive: Path, settings: Settings) -> Path:
    """The pages of an archive, in the data folder; unpacked once per content. Raises DatasetError."""
    try:
        with archive.open("rb") as opened:
            digest = hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError as error:
        raise DatasetError(f"{archive}: {error.strerror or error}") from None
    folder = settings.storage.data_dir / "eval" / "corpora" / digest[:16]
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".part-"))
    try:
        for name, data in _members(archive):
            target = scratch / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        if not folder.is_dir():
            scratch.rename(folder)
    except (tarfile.TarError, zipfile.BadZipFile, EOFError, OSError) as error:
        raise DatasetError(f"{archive}: cannot be unpacked: {error}") from None
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return folder


def kb_name(path: Path) -> str:
    """A knowledge base of its own for whatever lies at `path`."""
    stem = KB_NAME.sub("-", path.name.lower().partition(".")[0]).strip("-")[:20]
    return f"eval-{stem or 'corpus'}-{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:8]}"


def _members(archive: Path) -> Iterator[tuple[PurePosixPath, bytes]]:
    """Pages only, by their names inside; a name that leads out of the folder is left out."""
    count = 0
    for name, read in _zip_members(archive) if archive.name.lower().endswith(".zip") else _tar_members(archive):
        path = PurePosixPath(name)
        if path.suffix.lower() not in PAGES or path.is_absolute() or ".." in path.parts:
            continue
        count += 1
        if count > MAX_PAGES:
            raise DatasetError(f"{archive}: more than {MAX_PAGES:,} pages")
        yield path, read()


def _tar_members(archive: Path) -> Iterator[tuple[str, Any]]:
    with tarfile.open(archive) as opened:
        for member in opened:
            content = opened.extractfile(member) if member.isfile() else None
            if content is not None:
                yield member.name, content.read


def _zip_members(archive: Path) -> Iterator[tuple[str, Any]]:
    with zipfile.ZipFile(archive) as opened:
        for info in opened.infolist():
            if not info.is_dir():
                yield info.filename, lambda name=info: opened.read(name)


def _tells(page: Path) -> bool:
    """Beside a file of articles, a readme is about the file and no article itself."""
    return page.stem.lower() not in ABOUT_FILES


def is_archive(path: Path) -> bool:
    return path.is_file() and path.name.lower().endswith(ARCHIVES)


def _pages_in(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.suffix.lower() in PAGES and path.is_file())
