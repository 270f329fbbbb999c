"""Runs at the same time: one index has one writer or many readers, and whoever comes later waits."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar

from rich.console import Console
from rich.markup import escape

from handrail.assembly import kb_folder
from handrail.errors import IndexBusy
from handrail.settings import Settings
from handrail.stores.lock import IndexLock

T = TypeVar("T")

LONGEST_S = 300.0
PAUSE_S = 0.5


def hold_index(settings: Settings) -> AbstractContextManager[Any]:
    """Nobody writes to the index while this is held; one on a server needs no lock. Raises IndexBusy."""
    folder = kb_folder(settings, settings.knowledge.kb)
    return nullcontext() if settings.storage.served_index else IndexLock(folder, write=False)


def when_free(attempt: Callable[[], T], notes: Console, longest_s: float = LONGEST_S) -> T:
    """What `attempt` returns, tried until no other process holds the index. Raises IndexBusy after `longest_s`."""
    start = time.monotonic()
    told = False
    while True:
        try:
            return attempt()
        except IndexBusy as error:
            if time.monotonic() - start >= longest_s:
                raise
            if not told:
                notes.print(
                    f"[yellow]waiting[/] for up to {longest_s / 60:.0f} minutes: {escape(str(error))}", soft_wrap=True
                )
                told = True
            time.sleep(PAUSE_S)
