"""Versions of a knowledge base: each is written once, and a pointer names the one that is read.

A version is built where nobody reads. One atomic step then points to it, so whatever ends an ingest early, readers go
on with the version they have.
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from handrail.errors import HandrailError, IndexIncomplete, KnowledgeError
from handrail.stores.store import Store, not_indexed

KEPT = 3
"""Complete versions that stay, the current one and the one before it always among them."""
OLD = 0
"""The number of an index that was made before there were versions."""
TRIES = 3

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Version:
    """What is known of a version without opening it."""

    number: int
    made: str
    generation: str = ""
    """Empty until it is complete."""
    articles: int = 0
    passages: int = 0


@dataclass(frozen=True, slots=True)
class Opened:
    """A version that is open; `release` lets it go."""

    number: int
    store: Store
    release: Callable[[], None]

    def __enter__(self) -> Store:
        return self.store

    def __exit__(self, *error: object) -> None:
        self.release()


class Versions(ABC):
    """Those of one knowledge base and embedder. Only one process may write them at a time."""

    def __init__(self, kb: str, embedder: str) -> None:
        self.kb = kb
        self.embedder = embedder

    @abstractmethod
    def current(self) -> int | None:
        """The number of the version to read; cheap enough to be asked every few seconds."""

    @abstractmethod
    def found(self) -> list[Version]:
        """All of them, the newest first, with those that were never completed."""

    @abstractmethod
    def open(self, number: int) -> Opened:
        """To read. Raises KnowledgeError where it is not there."""

    @abstractmethod
    def begin(self, base: Store | None) -> Opened:
        """A new version to write, which holds what `base`, the current one, holds."""

    @abstractmethod
    def _complete(self, version: Version) -> None: ...

    @abstractmethod
    def _point(self, number: int) -> None:
        """The step that changes what is read: whole or not at all."""

    @abstractmethod
    def _remove(self, number: int) -> None:
        """Nothing happens while somebody on this machine reads it, nor to one of before there were versions."""

    def close(self) -> None:  # noqa: B027 - only a server has something to close
        """Let go of what they are looked up with; what was opened stays open."""

    def writing(self) -> AbstractContextManager[object]:
        """Held while they are changed, where more than this machine could. Raises IndexBusy."""
        return nullcontext()

    def complete(self) -> list[Version]:
        """Those that can be read, the newest first."""
        return [version for version in self.found() if version.generation]

    def read(self) -> Opened:
        """The current version. Raises KnowledgeError where nothing is indexed, IndexIncomplete where that is begun."""
        for left in reversed(range(TRIES)):
            number = self.current()
            if number is None:
                raise self._nothing()
            try:
                opened = self.open(number)
            except KnowledgeError:
                if left and self.current() != number:
                    continue
                raise
            try:
                opened.store.check()
            except HandrailError:
                opened.release()
                raise
            return opened
        raise self._nothing()

    def same(self, opened: Opened) -> bool:
        """Whether `opened` is still what is read. Raises KnowledgeError where the knowledge base is gone."""
        number = self.current()
        if number is None:
            raise KnowledgeError(f"knowledge base {self.kb!r} has been removed")
        return number == opened.number

    def base(self, *, needed: bool) -> Opened | None:
        """The current version for a new one to begin with, even where an old index is half written.

        Where it is missing or damaged, a new one begins with nothing, unless it is `needed`: then KnowledgeError is
        raised.
        """
        number = self.current()
        try:
            return None if number is None else self.open(number)
        except KnowledgeError as error:
            if needed and number:
                raise
            if number:
                log.warning("%s. All articles are indexed again", error)
            return None

    def unfinished(self, but: int) -> Iterator[Store]:
        """What runs that were interrupted left behind, each removed once the next is asked for. `but` is not given."""
        for version in self.found():
            if version.generation or version.number == but:
                continue
            with suppress(Exception), self.open(version.number) as store:  # half written, it may be anything
                yield store
            self._remove(version.number)

    def publish(self, opened: Opened) -> None:
        """Make a finished version the current one, and remove those that nobody goes back to."""
        store, before = opened.store, self.current()
        self._complete(Version(opened.number, now(), store.generation, len(store.stamps()), store.count()))
        self._point(opened.number)
        try:
            newest = [version.number for version in self.complete()]
            for number in newest[KEPT:]:
                if number not in (opened.number, before):
                    self._remove(number)
        except Exception as error:  # the new version is read already
            log.warning("old versions of knowledge base %r can't be removed yet: %s", self.kb, error)

    def choose(self, number: int | None = None) -> Version:
        """Go back to a version, by default the newest before the current one. Raises KnowledgeError."""
        if number is None:
            current = self.current() or OLD
            number = next((version.number for version in self.complete() if version.number < current), None)
            if number is None:
                raise KnowledgeError(f"knowledge base {self.kb!r} has no version before the current one")
        chosen = self.kept(number)
        self.open(number).release()
        self._point(number)
        return chosen

    def kept(self, number: int) -> Version:
        """A complete version. Raises KnowledgeError that lists them where there is none of that number."""
        complete = self.complete()
        for version in complete:
            if version.number == number:
                return version
        held = ", ".join(str(version.number) for version in complete) or "none"
        raise KnowledgeError(f"knowledge base {self.kb!r} has no version {number} (it has {held})")

    def _nothing(self) -> HandrailError:
        if not self.found():
            return not_indexed(self.kb, self.embedder)
        return IndexIncomplete(
            f"knowledge base {self.kb!r} is half built: an ingest is under way or was interrupted. "
            "Run the same `handrail ingest` again: it goes on where it stopped"
        )


def now() -> str:
    return f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC"
