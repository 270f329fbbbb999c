"""Several encoder processes on this machine, for one ingest."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.connection import wait

import numpy as np

from handrail.assembly.models import build_embedder
from handrail.errors import RetryableError
from handrail.models import Embedder
from handrail.settings import Models, Settings
from handrail.types import Vectors

TEXTS = 16
"""That a process is given at a time: few enough that all end at about the same time."""

_embedder: Embedder
"""Of an encoder process."""


@contextmanager
def encoders(models: Models, count: int) -> Iterator[Callable[[Sequence[str]], Vectors]]:
    """Encodes passages with `count` processes, each with a copy of the model and one thread.

    Raises RetryableError once one of them has ended: what was written before is used by the next run.
    """
    alone = models.model_copy(update={"threads": 1})
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(count, mp_context=context, initializer=_begin, initargs=(alone,))

    def encoded(parts: Sequence[Sequence[str]]) -> Vectors:
        try:
            found = [pool.submit(_encode, part) for part in parts]
            return np.concatenate([part.result() for part in found])
        except BrokenProcessPool:
            raise RetryableError(
                "an encoder process has ended: it was killed, or memory ran out. The knowledge base stays as it was; "
                "run the same command again, with fewer --workers if memory is short. It goes on where this one ended"
            ) from None

    try:
        with _uninterrupted():
            encoded([[]] * count)  # each is a process
        yield lambda texts: encoded(_parts(texts))
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Processes begun meanwhile never hear Ctrl+C, which goes to all of a terminal. This one hears it afterwards."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _parts(texts: Sequence[str]) -> list[Sequence[str]]:
    return [texts[start : start + TEXTS] for start in range(0, len(texts), TEXTS)]


def _begin(models: Models) -> None:
    global _embedder
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _embedder = build_embedder(Settings(models=models))


def _end_with_parent() -> None:
    if (parent := multiprocessing.parent_process()) is not None:
        wait([parent.sentinel])
        os._exit(1)


def _encode(texts: Sequence[str]) -> Vectors:
    return _embedder.embed_passages(texts)
