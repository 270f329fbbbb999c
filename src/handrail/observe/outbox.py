"""A bounded queue emptied by one background thread, so that whoever puts something in never waits."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Generic, TypeVar

from handrail.errors import RetryableError

Item = TypeVar("Item")

DELAYS_S = (0.5, 1.0, 2.0, 4.0, 8.0)
"""Pauses before a batch is tried again; after the last it is given up, so that newer ones get their turn."""


class Outbox(Generic[Item]):
    """`deliver` sends one batch and raises RetryableError when it may work later; `failed` hears of every failure."""

    def __init__(
        self,
        deliver: Callable[[Sequence[Item]], None],
        failed: Callable[[Exception], None],
        *,
        capacity: int = 256,
        batch: int = 32,
        delays_s: Sequence[float] = DELAYS_S,
    ) -> None:
        self._deliver = deliver
        self._failed = failed
        self._batch = batch
        self._delays_s = delays_s
        self._queue: queue.Queue[Item | None] = queue.Queue(capacity)
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._work, name="handrail-traces", daemon=True)
        self._thread.start()

    def put(self, item: Item) -> bool:
        """False when it was dropped: the queue is full, or closed."""
        if self._closing.is_set():
            return False
        try:
            self._queue.put_nowait(item)
        except queue.Full:
            return False
        return True

    def close(self, timeout_s: float) -> bool:
        """Send what is queued, each batch tried once more at most; True when all of it was dealt with in time."""
        self._closing.set()
        # While the queue is full the thread is awake anyway, and ends once it has emptied it.
        with suppress(queue.Full):
            self._queue.put_nowait(None)
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _work(self) -> None:
        while True:
            batch, last = self._take()
            if batch:
                self._send(batch)
            if last or (self._closing.is_set() and self._queue.empty()):
                return

    def _take(self) -> tuple[list[Item], bool]:
        """Everything that waits, up to the size of a batch, and whether the end was reached."""
        taken: list[Item] = []
        item = self._queue.get()
        while item is not None:
            taken.append(item)
            if len(taken) == self._batch or self._queue.empty():
                return taken, False
            item = self._queue.get()
        return taken, True

    def _send(self, batch: Sequence[Item]) -> None:
        for delay in (*self._delays_s, None):
            try:
                return self._deliver(batch)
            except RetryableError as error:
                self._failed(error)
                if delay is None or self._closing.wait(delay):
                    return None
            except Exception as error:
                self._failed(error)
                return None
        return None
