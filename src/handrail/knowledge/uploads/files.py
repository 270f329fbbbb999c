"""Where uploaded files lie while they wait, when they are approved, and before that."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from handrail.knowledge.beside import beside, fields_of
from handrail.knowledge.formats import FORMATS, UNSAFE
from handrail.knowledge.uploads import SECTION, About, NoUpload, Published, UploadError, Waiting
from handrail.knowledge.uploads.reading import ids

ID = re.compile(r"[0-9a-f]{16}")
LONGEST_NAME = 100
MOST_WAITING = 200
KEPT_VERSIONS = 10
ABOUT, FILES = "about.json", "files"
"""Of one upload: what is known of it, and the folder that is read as a source is."""
CURRENT = "current.json"


class UploadFiles:
    """`folder` is the knowledge base's own, `articles` the folder of approved articles in it."""

    def __init__(self, folder: Path, articles: Path, url_base: str, max_bytes: int) -> None:
        self._waiting, self._versions = folder / "uploads" / "waiting", folder / "uploads" / "versions"
        self._gone = folder / "uploads" / "gone.json"
        self._current = articles / SECTION
        self.url_base, self.max_bytes = url_base, max_bytes

    def add(self, name: str, data: bytes, by: str, at: float) -> Waiting:
        """A file that waits for approval. Raises UploadError."""
        name = safe_name(name)
        if not data:
            raise UploadError("this file is empty")
        if len(data) > self.max_bytes:
            raise UploadError(f"this file has {len(data)} bytes, and {self.max_bytes} are allowed")
        if sum(1 for _ in self.waiting()) >= MOST_WAITING:
            raise UploadError(f"{MOST_WAITING} files wait for approval already. Approve or discard some first")
        self._refuse_same_stem(name)
        upload = Waiting(secrets.token_hex(8), About(name, len(data), by, at))
        part = self._waiting / f".{upload.id}"
        (part / FILES / SECTION).mkdir(parents=True)
        try:
            (part / FILES / SECTION / name).write_bytes(data)
            _write(part / ABOUT, asdict(upload.about))
            part.rename(self._waiting / upload.id)
        except OSError as error:
            shutil.rmtree(part, ignore_errors=True)
            raise UploadError(f"this file can't be kept: {error.strerror}") from None
        return upload

    def waiting(self) -> Iterator[Waiting]:
        """In the order they came."""
        found = [Waiting(place.name, about) for place in _folders(self._waiting) if (about := _about(place))]
        yield from sorted(found, key=lambda one: one.about.at)

    def contents(self, id_: str) -> Path:
        """The folder to read a waiting file from. Raises NoUpload."""
        return self._place(id_) / FILES

    def discard(self, id_: str) -> None:
        """Raises NoUpload."""
        gone = self._place(id_).with_name(f".{id_}")
        with suppress(FileNotFoundError):
            self._place(id_).rename(gone)
        shutil.rmtree(gone, ignore_errors=True)

    def publish(self, id_: str, fields: Mapping[str, Any]) -> tuple[Published, int]:
        """A waiting file as the current version of its name, with `fields` as its front matter.

        Also gives the version that was current before; 0 for none. Raises NoUpload.
        """
        place = self._place(id_)
        about = _about(place)
        if about is None:
            raise NoUpload("this file doesn't wait any more")
        name, before = about.name, self._current_version(about.name)[0]
        number = max(self._numbers(name), default=0) + 1
        target = self._versions / name / str(number)
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            place.rename(target)  # of two who approve at once, one comes too late
        except OSError:
            raise NoUpload("somebody has decided about this file already") from None
        if fields:
            text = yaml.safe_dump(dict(fields), allow_unicode=True, sort_keys=False)
            beside(target / FILES / SECTION / name).write_text(text, encoding="utf-8")
        self._serve(name, number)
        for old in set(sorted(self._numbers(name))[:-KEPT_VERSIONS]) - {before}:
            shutil.rmtree(self._versions / name / str(old), ignore_errors=True)
        return self.of(name), before

    def restore(self, name: str, number: int) -> Published:
        """An earlier version as the current one. Raises NoUpload."""
        self.of(name)
        if number not in self._numbers(name):
            raise NoUpload(f"{name} has no version {number}")
        self._serve(name, number)
        return self.of(name)

    def unpublish(self, name: str, number: int, before: int) -> None:
        """Take back a version that could not be indexed: the one before is current again, and the file waits again."""
        place = self._versions / name / str(number)
        beside(place / FILES / SECTION / name).unlink(missing_ok=True)
        self._waiting.mkdir(parents=True, exist_ok=True)
        place.rename(self._waiting / secrets.token_hex(8))
        if before:
            self._serve(name, before)
        else:
            self._withdraw(name)

    def remove(self, name: str) -> list[str]:
        """A file and all its versions; gives the ids of its articles. Raises NoUpload."""
        articles = list(self.of(name).articles)
        self._note_gone(articles)
        self._withdraw(name)
        shutil.rmtree(self._versions / name, ignore_errors=True)
        return articles

    def gone(self) -> list[str]:
        """Ids of articles that no file has any more, and that may be indexed still."""
        found = _read(self._gone)
        return [str(one) for one in found] if isinstance(found, list) else []

    def settle(self, ids_: Collection[str]) -> None:
        """They have left the index."""
        self._note_gone((), back=ids_)

    def published(self) -> Iterator[Published]:
        """By name."""
        for place in _folders(self._versions):
            with suppress(NoUpload):
                yield self.of(place.name)

    def of(self, name: str) -> Published:
        """Raises NoUpload."""
        numbers = sorted(self._numbers(name), reverse=True)
        number, articles = self._current_version(name)
        about = _about(self._versions / name / str(number))
        if not self.in_use(name) or about is None:
            raise NoUpload(f"there is no file named {name}")
        said = fields_of(self._current / name).get("tags")
        tags = tuple(str(tag) for tag in said) if isinstance(said, list) else ()
        return Published(about, number, tuple(numbers), tuple(articles), tags)

    def in_use(self, name: str) -> bool:
        """Whether visitors get answers from a file of this name."""
        return name == PurePosixPath(name).name and (self._current / name).is_file()

    def _place(self, id_: str) -> Path:
        place = self._waiting / id_
        if not ID.fullmatch(id_) or not place.is_dir():
            raise NoUpload("this file doesn't wait any more")
        return place

    def _serve(self, name: str, number: int) -> None:
        """Make a version current: first what is said beside the file, then the file, each in one step."""
        place = self._versions / name / str(number)
        source, target = place / FILES / SECTION / name, self._current / name
        articles = ids(place / FILES, self.url_base, self.max_bytes)
        self._note_gone(set(self._current_version(name)[1]) - set(articles), back=articles)
        self._current.mkdir(parents=True, exist_ok=True)
        if beside(source).is_file():
            _copied(beside(source), beside(target))
        else:
            beside(target).unlink(missing_ok=True)
        _copied(source, target)
        _write(self._versions / name / CURRENT, {"version": number, "articles": articles})

    def _withdraw(self, name: str) -> None:
        (self._current / name).unlink(missing_ok=True)
        beside(self._current / name).unlink(missing_ok=True)

    def _current_version(self, name: str) -> tuple[int, list[str]]:
        """Its number and the ids of its articles; 0 and none where there is none."""
        found = _read(self._versions / name / CURRENT)
        return (int(found["version"]), list(found["articles"])) if isinstance(found, dict) else (0, [])

    def _note_gone(self, gone: Iterable[str], back: Collection[str] = ()) -> None:
        left = [one for one in dict.fromkeys([*self.gone(), *gone]) if one not in set(back)]
        if left != self.gone():
            _write(self._gone, left)

    def _numbers(self, name: str) -> list[int]:
        if name != safe_name(name):
            return []
        return [int(place.name) for place in _folders(self._versions / name) if place.name.isdecimal()]

    def _refuse_same_stem(self, name: str) -> None:
        """Two files of one stem would be one article."""
        taken = [place.name for place in _folders(self._versions) if self.in_use(place.name)]
        same = [one for one in taken if Path(one).stem.lower() == Path(name).stem.lower() and one != name]
        if same:
            raise UploadError(f"there is {same[0]} already, and one name can't stand for two articles. Rename {name}")


def safe_name(name: str) -> str:
    """The last part of a path, without what means something to a system. Raises UploadError."""
    plain = UNSAFE.sub("-", PurePosixPath(name.replace("\\", "/")).name).strip("-.")
    if Path(plain).suffix.lower() not in FORMATS:
        kinds = ", ".join(sorted(FORMATS))
        raise UploadError(f"this kind of file isn't read. Kinds that are: {kinds}")
    stem = Path(plain).stem[: LONGEST_NAME - len(Path(plain).suffix)].strip("-._")
    if not stem:
        raise UploadError("this file has no name")
    return f"{stem}{Path(plain).suffix.lower()}"


def _folders(place: Path) -> list[Path]:
    try:
        return sorted(Path(entry.path) for entry in os.scandir(place) if entry.is_dir() and entry.name[0] != ".")
    except OSError:
        return []


def _about(place: Path) -> About | None:
    found = _read(place / ABOUT)
    return About(**found) if isinstance(found, dict) else None


def _read(path: Path) -> Any:
    """None for what isn't there or is damaged."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def _write(path: Path, value: Any) -> None:
    """In one step."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    part.write_text(json.dumps(value), encoding="utf-8")
    part.replace(path)


def _copied(source: Path, target: Path) -> None:
    part = target.with_name(f".{target.name}.part")
    shutil.copyfile(source, part)
    part.replace(target)
