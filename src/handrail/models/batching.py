"""One worker thread per model; texts of concurrent requests share a batch, and the event loop never waits on a core."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Hashable, Iterable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from typing import Generic, TypeVar

from handrail.errors import RetryableError
from handrail.models.line import Line, unhurried
from handrail.models.remembered import Remembered

T = TypeVar("T", bound=Hashable)
R = TypeVar("R")

MOST_FORESEEN = 64
"""Results that nobody came for; older ones are dropped."""
PIECE = 2
"""Items of one call where nobody waits for them, so that who comes meanwhile waits for few."""


@dataclass(slots=True)
class _Job(Generic[T, R]):
    items: Sequence[T]
    future: Future[list[R]]
    later: bool


class Batcher(Generic[T, R]):
    """`run` takes a list of items and returns their results in order, on a thread of its own.

    Work waiting when the thread is free is put into one call, up to `max_items`. More than `queue_limit` items waiting
    is refused with RetryableError rather than queued without end. The last `remember` results are kept. What is asked
    while `nobody_waits` is worked on in small pieces, behind what somebody waits for.
    """

    def __init__(
        self,
        name: str,
        run: Callable[[list[T]], Iterable[R]],
        max_items: int,
        queue_limit: int,
        *,
        remember: int = 0,
        busy_above: int = 0,
    ) -> None:
        self._run = run
        self._max_items = max_items
        self._queue_limit = queue_limit
        self._remembered: Remembered[T, R] = Remembered(remember)
        self._busy_above = busy_above
        self._foreseen: dict[T, Future[list[R]]] = {}
        self._waiting = 0
        self._closed = False
        self._lock = threading.Lock()
        self._line: Line[_Job[T, R]] = Line()
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    @property
    def queued(self) -> int:
        """Items that somebody waits for and that no call has taken yet."""
        return self._waiting

    def affordable(self, wanted: int, fewest: int) -> int:
        """How many of `wanted` items to submit: fewer, down to `fewest`, while more than `busy_above` items wait.

        What many ask at once is then answered a little less carefully instead of too late. 0 never gives less.
        """
        if not self._busy_above or self._waiting <= self._busy_above:
            return wanted
        return max(min(wanted, fewest), wanted * self._busy_above // self._waiting)

    def foresee(self, item: T) -> None:
        """Begin what `submit` is about to be asked for. Where other work or nobody waits nothing is begun."""
        if self._waiting or self._closed or unhurried.get() or item in self._foreseen or self._remembered.of([item]):
            return
        with suppress(RetryableError):
            self._foreseen[item] = self._queued([item])
        while len(self._foreseen) > MOST_FORESEEN:
            del self._foreseen[next(iter(self._foreseen))]

    async def submit(self, items: Sequence[T]) -> list[R]:
        """Results in order. Raises RetryableError when too many wait already."""
        known = self._remembered.of(items)
        missing = [item for item in dict.fromkeys(items) if item not in known]
        if missing:
            found = await self._found(missing)
            self._remembered.keep(found)
            known |= found
        return [known[item] for item in items]

    async def _found(self, items: Sequence[T]) -> dict[T, R]:
        begun = {item: self._foreseen.pop(item) for item in items if item in self._foreseen}
        rest = [item for item in items if item not in begun]
        made = await self._made(rest) if rest else []
        found = dict(zip(rest, made, strict=True))
        for item, result in begun.items():
            found[item] = (await asyncio.wrap_future(result))[0]
        return found

    async def _made(self, items: Sequence[T]) -> list[R]:
        if not unhurried.get():
            return await asyncio.wrap_future(self._queued(items))
        made: list[R] = []
        for start in range(0, len(items), PIECE):
            piece: list[R] = await asyncio.wrap_future(self._queued(items[start : start + PIECE], later=True))
            made += piece
        return made

    def _queued(self, items: Sequence[T], *, later: bool = False) -> Future[list[R]]:
        """`later`: they do not count as waiting."""
        job: _Job[T, R] = _Job(items, Future(), later)
        with self._lock:
            if self._closed:
                raise RetryableError("the local models are shutting down. Try again in a moment")
            if self._waiting and self._waiting + len(items) > self._queue_limit:
                raise RetryableError("the local models are busy. Try again in a moment")
            self._waiting += 0 if later else len(items)
            self._line.put(job, later=later)
        return job.future

    def close(self) -> None:
        """Finish what is queued, then end the thread; new work is refused with RetryableError."""
        with self._lock:
            self._closed = True
            self._line.end()
        self._thread.join(timeout=10)

    def _work(self) -> None:
        while (job := self._line.take()) is not None:
            self._finish([job] if job.later else self._gathered(job))

    def _gathered(self, first: _Job[T, R]) -> list[_Job[T, R]]:
        jobs, size = [first], len(first.items)
        while size < self._max_items and (job := self._line.take_now()) is not None:
            jobs.append(job)
            size += len(job.items)
        return jobs

    def _finish(self, jobs: list[_Job[T, R]]) -> None:
        with self._lock:
            self._waiting -= sum(len(job.items) for job in jobs if not job.later)
        live = [job for job in jobs if job.future.set_running_or_notify_cancel()]
        if not live:
            return
        try:
            results = list(self._run([item for job in live for item in job.items]))
        except BaseException as error:  # a panic of the tokenizers is not an Exception; the thread must outlive it
            for job in live:
                job.future.set_exception(error)
            return
        at = 0
        for job in live:
            job.future.set_result(results[at : at + len(job.items)])
            at += len(job.items)
