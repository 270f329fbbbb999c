"""Sources that leads declare at the desk: one file for each, in the knowledge base's own folder."""

from __future__ import annotations

import json
import os
import re
import secrets
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from handrail.errors import PermanentError
from handrail.settings.sources import Source

FOLDER = "desk"
"""In the folder of what sources need."""
ID = re.compile(r"[0-9a-f]{12}")
MOST = 50
FIELDS = ("kind", "where", "locale", "folder", "branch", "url_base")
"""Of a source, that are declared at the desk; everything else is at its default."""


class SourceError(PermanentError):
    """A source that can't be declared so, and what to do."""


class NoSource(SourceError):
    """There is no such source at the desk."""


@dataclass(frozen=True, slots=True)
class DeskSource:
    id: str
    source: Source
    by: str
    """Id of the user who declared it."""
    at: float
    """Seconds since the epoch."""
    active: bool = False
    """Whether a sync reads it. Its articles stay while it is paused."""
    token: str = ""

    def __repr__(self) -> str:
        return f"DeskSource({self.id!r}, {self.source.kind!r}, {self.source.where!r})"


class DeskSources:
    """`folder` is that of what sources need."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / FOLDER

    def all(self) -> list[DeskSource]:
        """In the order they were declared. Raises SourceError."""
        found = [one for path in self._folder.glob("*.json") if (one := _read(path))]
        return sorted(found, key=lambda one: (one.at, one.id))

    def get(self, id_: str) -> DeskSource:
        """Raises NoSource and SourceError."""
        found = _read(self._folder / f"{id_}.json") if ID.fullmatch(id_) else None
        if found is None:
            raise NoSource("there is no such source any more")
        return found

    def add(self, source: Source, token: str, by: str, now: float) -> DeskSource:
        """It is paused at first, to be looked at. Raises SourceError."""
        held = self.all()
        if len(held) >= MOST:
            raise SourceError(f"{MOST} sources are declared already. Remove one first")
        _refuse_same(source, held)
        one = DeskSource(secrets.token_hex(6), source, by, now, token=token)
        self._keep(one)
        return one

    def change(self, id_: str, source: Source, token: str | None) -> DeskSource:
        """Without a `token`, the one that is held is kept, for the address it was given for. Raises SourceError."""
        held = self.get(id_)
        _refuse_same(source, (one for one in self.all() if one.id != id_))
        moved = (source.kind, source.where) != (held.source.kind, held.source.where)
        if token is None and held.token and moved:
            raise SourceError("enter the token again, since the kind or the address has changed")
        one = replace(held, source=source, token=held.token if token is None else token)
        self._keep(one)
        return one

    def switch(self, id_: str, *, active: bool) -> DeskSource:
        """Raises NoSource and SourceError."""
        one = replace(self.get(id_), active=active)
        self._keep(one)
        return one

    def remove(self, id_: str) -> None:
        if ID.fullmatch(id_):
            (self._folder / f"{id_}.json").unlink(missing_ok=True)

    def _keep(self, one: DeskSource) -> None:
        """For the server's user alone, since it holds the token."""
        self._folder.mkdir(parents=True, exist_ok=True)
        rest = {key: value for key, value in asdict(one).items() if key not in ("id", "source")}
        part = self._folder / f".{one.id}-{secrets.token_hex(4)}.part"
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            json.dump({**one.source.model_dump(include=set(FIELDS)), **rest}, file, ensure_ascii=False)
        part.replace(self._folder / f"{one.id}.json")


def _refuse_same(source: Source, others: Iterable[DeskSource]) -> None:
    told = source.model_dump(include=set(FIELDS))
    if any(one.source.model_dump(include=set(FIELDS)) == told for one in others):
        raise SourceError("this source is declared already")


def _read(path: Path) -> DeskSource | None:
    """None where there is no such file.

    Raises SourceError for one that can't be read: taken for absent, its articles would leave with the next sync.
    """
    try:
        said: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        source = Source.model_validate({key: said.pop(key) for key in FIELDS})
        return DeskSource(path.stem, source, **said)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise SourceError(
            f"the source in {path} can't be read ({type(error).__name__}); restore the file from a backup, or delete it"
        ) from error
