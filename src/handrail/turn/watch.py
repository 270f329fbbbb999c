"""Whoever looks on while a turn is being worked on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class TurnWatch(Protocol):
    """Told of things as they happen, in order. What it is told may be taken back; the outcome is the authority."""

    async def stage(self, name: str) -> None:
        """A stage begins: `read`, `classify`, `rewrite`, `retrieve`, `generate`, `verify`, `critique`."""
        ...

    async def draft(self, text: str) -> None:
        """The words being written after what stands: plain text that nothing has checked, all of it each time.

        An empty text takes them away, before a claim takes their place.
        """
        ...

    async def claim(self, id: str, text: str, indexes: Sequence[int]) -> None:
        """The next piece of the answer: Markdown with its separator in front and its `[n]` marks, and those numbers.

        Claims have the ids `c1`, `c2` …; a high-stakes reply also has `acknowledgement`, `offer` and `closing`.
        """
        ...

    async def replaced(self, id: str, label: str, replacement: str | None) -> None:
        """A piece did not stand up; `label` says why (`unsupported`, `withdrawn`), None takes it away for nothing."""
        ...


class Nobody:
    """Looks away."""

    async def stage(self, name: str) -> None:
        return None

    async def draft(self, text: str) -> None:
        return None

    async def claim(self, id: str, text: str, indexes: Sequence[int]) -> None:
        return None

    async def replaced(self, id: str, label: str, replacement: str | None) -> None:
        return None
