"""A watch that can take back what it has shown."""

from __future__ import annotations

from collections.abc import Sequence

from handrail.turn.watch import TurnWatch


class Withdrawing:
    """Passes everything on, and remembers which claims stand."""

    def __init__(self, watch: TurnWatch) -> None:
        self._watch = watch
        self._standing: dict[str, None] = {}

    async def stage(self, name: str) -> None:
        await self._watch.stage(name)

    async def draft(self, text: str) -> None:
        await self._watch.draft(text)

    async def claim(self, id: str, text: str, indexes: Sequence[int]) -> None:
        self._standing[id] = None
        await self._watch.claim(id, text, indexes)

    async def replaced(self, id: str, label: str, replacement: str | None) -> None:
        if replacement is None:
            self._standing.pop(id, None)
        await self._watch.replaced(id, label, replacement)

    async def withdraw(self) -> None:
        """Take back every claim: somebody else answers."""
        await self.draft("")
        for id in list(self._standing):
            await self.replaced(id, "withdrawn", None)
