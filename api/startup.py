"""Loading models and index in the background, so that the process answers from its first second."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from handrail.errors import HandrailError, IndexIncomplete, KnowledgeError, RetryableError

log = logging.getLogger("handrail.startup")

LONGEST_PAUSE_S = 30.0


class Startup:
    """Starts once; tries again only after failures that may pass by themselves."""

    def __init__(
        self,
        start: Callable[[], Awaitable[None]],
        first_pause_s: float = 1.0,
        hopeless: Callable[[HandrailError], None] | None = None,
    ) -> None:
        """`hopeless` is told where nothing is indexed to answer from."""
        self._start = start
        self._hopeless = hopeless
        self._pause_s = first_pause_s
        self.problem: str | None = None
        """Why it is not ready, for readiness; the log says more."""
        self.incomplete = False
        """Whether the index is half written: somebody has to ingest again before anything is answered."""

    async def run(self) -> None:
        pause = self._pause_s
        while True:
            try:
                await self._start()
            except RetryableError as error:
                log.warning("not ready yet: %s; trying again in %.0f s", error, pause)
                self.problem = f"{type(error).__name__}; trying again"
                self.incomplete = isinstance(error, IndexIncomplete)
            except HandrailError as error:
                log.error("cannot start: %s", error)
                self.problem = f"{type(error).__name__}; the log says what to do"
                if isinstance(error, KnowledgeError) and self._hopeless is not None:
                    self._hopeless(error)
                return
            except Exception as error:
                log.exception("cannot start")
                self.problem = f"{type(error).__name__}; the log says more"
                return
            else:
                self.problem, self.incomplete = None, False
                return
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE_S)
