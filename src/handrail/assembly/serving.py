"""One version of a knowledge base in service, with all that is made of it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from handrail.answer.suggest.quiet import QuietSuggester
from handrail.assembly.parts import Parts
from handrail.turn.engine import Engine
from handrail.turn.stages import Stages


class Serving:
    """Turns end on the version they began with: it is let go once the last of them has ended."""

    def __init__(self, parts: Parts, stages: Stages, engine: Engine, suggester: QuietSuggester | None) -> None:
        self.parts = parts
        self.stages = stages
        self.engine = engine
        self._suggester = suggester
        self._trying: asyncio.Task[None] | None = None
        self._turns = 0
        self._idle = asyncio.Event()
        self._idle.set()

    def begin(self) -> None:
        """Suggestions are tried from now on."""
        if self._suggester is not None:
            self._trying = asyncio.create_task(self._suggester.run())

    @contextmanager
    def turn(self) -> Iterator[Engine]:
        """To be held from before a turn begins until it has ended."""
        self._turns += 1
        self._idle.clear()
        try:
            with self._suggester.turn() if self._suggester is not None else nullcontext():
                yield self.engine
        finally:
            self._turns -= 1
            if not self._turns:
                self._idle.set()

    async def retire(self) -> None:
        """Another version answers now: wait for the turns on this one, then let it go. The models stay."""
        try:
            await self.quiet()
            await self._idle.wait()
        finally:
            try:
                await self.close()
            finally:
                await asyncio.to_thread(self.parts.index.release)

    async def quiet(self) -> None:
        """No more suggestions are tried."""
        trying, self._trying = self._trying, None
        if trying is not None:
            trying.cancel()
            await asyncio.wait([trying])

    async def close(self) -> None:
        """Connections of the stages, once nothing uses them."""
        if self.stages.closing is not None:
            await self.stages.closing()
