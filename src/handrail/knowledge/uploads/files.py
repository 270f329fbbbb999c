"""Where uploaded files lie while they wait, when they are approved, and before that."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from handrail.knowledge.beside import beside, fields_of
from handrail.knowledge.formats import FORMATS
from handrail.knowledge.uploads import SECTION, About, NoUpload, Published, UploadError, Waiting
from handrail.knowledge.uploads.reading import ids

UNSAFE = re.compile(r"[^\w.-]+")
ID = re.compile(r"[0-9a-f]{16}")
LONGEST_NAME = 100
MOST_WAITING = 200
KEPT_VERSIONS = 10
ABOUT = ".about.json"


class UploadFiles:
    """`folder` is the knowledge base's own, `articles` the folder of approved articles in it."""

    def __init__(self, folder: Path, articles: Path, url_base: str, max_bytes: int) -> None:
        self._waiting, self._versions = folder / "uploads" / "waiting", folder / "uploads" / "versions"
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
        (part / SECTION).mkdir(parents=True)
        try:
            (part / SECTION / name).write_bytes(data)
            (part / ABOUT).write_text(json.dumps(asdict(upload.about)), encoding="utf-8")
            part.rename(self._waiting / upload.id)
        except OSError as error:
            shutil.rmtree(part, ignore_errors=True)
            raise UploadError(f"this file can't be kept: {error.strerror}") from None
        return upload

    def waiting(self) -> Iterator[Waiting]:
        """In the order they came."""
        found = [Waiting(place.name, about) for place in _folders(self._waiting) if (about := _about(place))]
        yield from sorted(found, key=lambda one: one.about.at)

    def place(self, id_: str) -> Path:
        """The folder that holds a waiting file. Raises NoUpload."""
        place = self._waiting / id_
        if not ID.fullmatch(id_) or not place.is_dir():
            raise NoUpload("this file doesn't wait any more")
        return place

    def discard(self, id_: str) -> None:
        """Raises NoUpload."""
        gone = self.place(id_).with_name(f".{id_}")
        with suppress(FileNotFoundError):
            self.place(id_).rename(gone)
        shutil.rmtree(gone, ignore_errors=True)

    def publish(self, id_: str, fields: Mapping[str, Any]) -> tuple[Published, list[str]]:
        """A waiting file as the current version of its name, with `fields` as its front matter.

        Also gives the ids of articles that the version before had and this one hasn't. Raises NoUpload.
        """
        place = self.place(id_)
        about = _about(place)
        if about is None:
            raise NoUpload("this file doesn't wait any more")
        before = self._ids_of(about.name)
        number = max(self._numbers(about.name), default=0) + 1
        target = self._versions / about.name / str(number)
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            place.rename(target)  # of two who approve at once, one comes too late
        except OSError:
            raise NoUpload("somebody has decided about this file already") from None
        if fields:
            text = yaml.safe_dump(dict(fields), allow_unicode=True, sort_keys=False)
            beside(target / SECTION / about.name).write_text(text, encoding="utf-8")
        self._serve(about.name, number)
        for old in sorted(self._numbers(about.name))[:-KEPT_VERSIONS]:
            shutil.rmtree(self._versions / about.name / str(old), ignore_errors=True)
        return self.of(about.name), sorted(set(before) - set(self._ids_of(about.name)))

    def restore(self, name: str, number: int) -> tuple[Published, list[str]]:
        """An earlier version as the current one, and the ids that it hasn't. Raises NoUpload."""
        before = self._ids_of(self.of(name).about.name)
        if number not in self._numbers(name):
            raise NoUpload(f"{name} has no version {number}")
        self._serve(name, number)
        return self.of(name), sorted(set(before) - set(self._ids_of(name)))

    def unpublish(self, name: str, number: int) -> None:
        """Take back a version that could not be indexed: the one before is current again, and the file waits again."""
        place = self._versions / name / str(number)
        beside(place / SECTION / name).unlink(missing_ok=True)
        self._waiting.mkdir(parents=True, exist_ok=True)
        place.rename(self._waiting / secrets.token_hex(8))
        left = self._numbers(name)
        if left:
            self._serve(name, max(left))
        else:
            self._withdraw(name)

    def remove(self, name: str) -> list[str]:
        """A file and all its versions; gives the ids of its articles. Raises NoUpload."""
        gone = self._ids_of(self.of(name).about.name)
        self._withdraw(name)
        shutil.rmtree(self._versions / name, ignore_errors=True)
        return gone

    def published(self) -> list[Published]:
        """By name."""
        return [self.of(place.name) for place in _folders(self._versions) if self._is_current(place.name)]

    def of(self, name: str) -> Published:
        """Raises NoUpload."""
        numbers = sorted(self._numbers(name), reverse=True)
        if not self._is_current(name) or not numbers:
            raise NoUpload(f"there is no file named {name}")
        number = self._number(name) if self._number(name) in numbers else numbers[0]
        about = _about(self._versions / name / str(number))
        if about is None:
            raise NoUpload(f"there is no file named {name}")
        said = fields_of(self._current / name).get("tags")
        tags = tuple(str(tag) for tag in said) if isinstance(said, list) else ()
        return Published(about, number, tuple(numbers), tuple(self._ids_of(name)), tags)

    def _serve(self, name: str, number: int) -> None:
        """Make a version current: first what is said beside the file, then the file, each in one step."""
        source = self._versions / name / str(number) / SECTION / name
        self._current.mkdir(parents=True, exist_ok=True)
        target = self._current / name
        if beside(source).is_file():
            _copied(beside(source), beside(target))
        else:
            beside(target).unlink(missing_ok=True)
        _copied(source, target)
        number_file = self._versions / name / "current"
        part = number_file.with_suffix(".part")
        part.write_text(str(number), encoding="utf-8")
        part.replace(number_file)

    def _withdraw(self, name: str) -> None:
        (self._current / name).unlink(missing_ok=True)
        beside(self._current / name).unlink(missing_ok=True)

    def _number(self, name: str) -> int:
        try:
            return int((self._versions / name / "current").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return 0

    def _numbers(self, name: str) -> list[int]:
        if name != safe_name(name):
            return []
        return [int(place.name) for place in _folders(self._versions / name) if place.name.isdecimal()]

    def _is_current(self, name: str) -> bool:
        return name == PurePosixPath(name).name and (self._current / name).is_file()

    def _ids_of(self, name: str) -> list[str]:
        number = self._number(name)
        place = self._versions / name / str(number)
        return ids(place, self.url_base, self.max_bytes) if number and place.is_dir() else []

    def _refuse_same_stem(self, name: str) -> None:
        """Two files of one stem would be one article."""
        taken = [place.name for place in _folders(self._versions) if self._is_current(place.name)]
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
    try:
        return About(**json.loads((place / ABOUT).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def _copied(source: Path, target: Path) -> None:
    part = target.with_name(f".{target.name}.part")
    shutil.copyfile(source, part)
    part.replace(target)
