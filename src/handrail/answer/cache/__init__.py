"""Answers that a model wrote, kept for the same question asked again."""

from __future__ import annotations

import unicodedata
from typing import Protocol

ENDS = " ?!.…؟"
"""What may end a question without making it another one."""


class Store(Protocol):
    """Values by key, for a while. Nothing here ever fails a turn."""

    async def get(self, key: str) -> bytes | None:
        """None for what is gone, or cannot be read right now."""
        ...

    async def put(self, key: str, value: bytes) -> None: ...

    async def drop(self, key: str) -> None:
        """It is never given again, even if that cannot be told to the others right now."""
        ...

    async def aclose(self) -> None: ...


def normalised(text: str) -> str:
    """The same for texts that differ in case, in spaces, or in the marks at their end."""
    folded = " ".join(unicodedata.normalize("NFC", text).casefold().split())
    return folded.rstrip(ENDS) or folded
