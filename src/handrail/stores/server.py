"""A place that holds the knowledge bases of several processes, a collection for each version."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Protocol

from handrail.stores.store import Store


@dataclass(frozen=True, slots=True)
class Collection:
    """One as it is listed; its marks say what it is of."""

    name: str
    marks: Mapping[str, Any]
    count: Callable[[], int]
    """Passages."""


class Server(Protocol):
    """What one tenant has there. Every method raises RetryableError while it is away."""

    def store(self, kb: str, embedder: str, version: str = "") -> Store:
        """One that is not open yet. `version` ends the name of its collection."""
        ...

    def collections(self) -> list[Collection]: ...

    def remove(self, collection: str) -> None:
        """Nothing happens where it is not there. Raises IndexBusy while it is read, where the server can tell."""
        ...

    def clear(self) -> None:
        """Remove all that the tenant has, and nothing of another."""
        ...

    def close(self) -> None: ...

    def writing(self, kb: str) -> AbstractContextManager[object]:
        """Held by the only process that writes a knowledge base. Raises IndexBusy where the server can tell.

        What can't is left to the lock on this machine.
        """
        return nullcontext()

    def reading(self, collection: str) -> Callable[[], None]:
        """Keep it from being removed, where the server can; what is returned ends that."""
        return lambda: None


def of_kb(server: Server, kb: str) -> list[str]:
    """The names of all that belongs to a knowledge base: the newest first, and what points to it last."""
    own = [one for one in server.collections() if one.marks.get("kb") == kb]
    return [one.name for one in sorted(own, key=lambda one: -int(one.marks.get("number", 0)))]
