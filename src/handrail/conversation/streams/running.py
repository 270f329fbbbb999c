"""The turns this process works on for those who follow them: started, found again, stopped, given up."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from redis.exceptions import RedisError

from handrail.conversation.streams import Followable
from handrail.conversation.streams.journal import Journal
from handrail.conversation.streams.shared import SharedStreams
from handrail.settings import Stream

log = logging.getLogger(__name__)

TICK_S = 0.2
"""How soon a stop from another process, or a follower's absence, is noticed."""
ALONE_S = 0.5
"""How long nobody may have followed a turn whose conversation has moved on; a reload takes less than that."""
MOST_FINISHED = 2000
"""Finished turns kept in memory for those who come back; older ones are read from the records."""


@dataclass(slots=True)
class _Run:
    journal: Journal
    conversation_id: str
    task: asyncio.Task[None] | None = None
    final: bool = False
    """The outcome is known: stopping makes no sense any more."""
    alone_since: float = 0.0
    unwanted: bool = False
    """Its conversation has moved on: it is not finished for nobody."""


Work = Callable[[Journal], Awaitable[None]]


class Streams:
    """Runs turns apart from the connections that follow them.

    A turn that nobody has followed for `grace_s` is cancelled. With `shared`, other processes can follow and stop it.
    """

    def __init__(self, settings: Stream, shared: SharedStreams | None = None) -> None:
        self._settings = settings
        self._shared = shared
        self._running: dict[str, _Run] = {}
        self._finished: OrderedDict[str, tuple[float, Journal]] = OrderedDict()
        self._watchman: asyncio.Task[None] | None = None
        self._mirrors: set[asyncio.Task[None]] = set()

    def start(self, turn_id: str, conversation_id: str, work: Work) -> Journal:
        """Begin `work`, which writes to the journal it is given and is cancelled by a stop."""
        run = _Run(Journal(), conversation_id, alone_since=_now())
        self._running[turn_id] = run
        self._finished.pop(turn_id, None)
        run.task = asyncio.create_task(self._work(turn_id, run, work))
        if self._shared is not None:
            mirror = asyncio.create_task(self._shared.mirror(turn_id, run.journal))
            self._mirrors.add(mirror)
            mirror.add_done_callback(self._mirrors.discard)
        if self._watchman is None or self._watchman.done():
            self._watchman = asyncio.create_task(self._watch())
        return run.journal

    async def find(self, turn_id: str) -> Followable | None:
        """What can be followed of a turn, here or in another process; None when it is unknown or long over."""
        if run := self._running.get(turn_id):
            return run.journal
        self._forget()
        if turn_id in self._finished:
            return self._finished[turn_id][1]
        return await self._shared.find(turn_id) if self._shared is not None else None

    def settled(self, turn_id: str) -> None:
        """The turn's outcome is known: from here on it cannot be stopped."""
        if run := self._running.get(turn_id):
            run.final = True

    async def stop(self, turn_id: str) -> bool:
        """Cancel the turn, here or in another process; whether one was running that could be."""
        if run := self._running.get(turn_id):
            return _cancel(run)
        return await self._shared.stop(turn_id) if self._shared is not None else False

    async def forget(self, turn_ids: Sequence[str]) -> None:
        """Nobody finds these turns again, here or in another process."""
        for turn_id in turn_ids:
            self._finished.pop(turn_id, None)
        if self._shared is not None:
            try:
                await self._shared.forget(turn_ids)
            except (RedisError, OSError) as error:
                log.warning("events of deleted turns remain until they expire (%s)", type(error).__name__)

    def give_way(self, conversation_id: str, turn_id: str) -> None:
        """`turn_id` comes next in its conversation: an earlier turn that nobody follows need not be finished."""
        for id_, run in self._running.items():
            run.unwanted = run.unwanted or (run.conversation_id == conversation_id and id_ != turn_id)

    async def close(self) -> None:
        """Cancel everything and wait for it."""
        tasks = [run.task for run in self._running.values() if run.task is not None]
        for task in (*tasks, *self._mirrors, *([self._watchman] if self._watchman else [])):
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _work(self, turn_id: str, run: _Run, work: Work) -> None:
        try:
            await work(run.journal)
        except asyncio.CancelledError:
            log.debug("turn %s was stopped", turn_id)
        finally:
            run.journal.close()
            if self._running.get(turn_id) is run:
                del self._running[turn_id]
                self._finished[turn_id] = (_now(), run.journal)
            self._forget()

    def _forget(self) -> None:
        oldest = _now() - self._settings.resume_s
        while self._finished:
            turn_id, (since, _) = next(iter(self._finished.items()))
            if since > oldest and len(self._finished) <= MOST_FINISHED:
                return
            del self._finished[turn_id]

    async def _watch(self) -> None:
        """Looks after running turns for as long as there are any."""
        while self._running:
            await asyncio.sleep(TICK_S)
            wanted = await self._shared.signals(list(self._running)) if self._shared is not None else {}
            for turn_id, run in list(self._running.items()):
                signal = wanted.get(turn_id)
                if signal is not None and signal.stop:
                    _cancel(run)
                elif run.journal.followers or (signal is not None and signal.followed):
                    run.alone_since = _now()
                elif _now() - run.alone_since > (ALONE_S if run.unwanted else self._settings.grace_s) and _cancel(run):
                    log.info("nobody is following turn %s any more; it is cancelled", turn_id)


def _cancel(run: _Run) -> bool:
    if run.final or run.task is None or run.task.done():
        return False
    run.task.cancel()
    return True


def _now() -> float:
    return asyncio.get_running_loop().time()
