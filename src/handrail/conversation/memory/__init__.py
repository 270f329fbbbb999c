"""What was said before a question."""

from collections.abc import Sequence
from typing import Protocol

from handrail.types import Exchange


class Memory(Protocol):
    """The latest exchanges of each conversation, for a while. Nothing here ever fails a turn."""

    async def recall(self, conversation_id: str, follows: str | None = None) -> Sequence[Exchange]:
        """What led up to the turn `follows`, or to the latest one: oldest first, as many of the last as fit the window.

        Empty when there are none, when they cannot be read, or when `follows` is empty or not known any more.
        """
        ...

    async def remember(self, conversation_id: str, exchange: Exchange, *, continued: bool = False) -> None:
        """Keep a finished exchange; what it may hold was decided before.

        One that `continued` an earlier one is dropped when that has been forgotten in the meantime.
        """
        ...

    async def forget(self, conversation_id: str) -> None:
        """Drop a conversation, because a person took it over or the visitor deleted it."""
        ...
