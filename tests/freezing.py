"""Processes that stand still: they hold their connections and take new ones, and say nothing."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import psutil


@contextmanager
def frozen(pid: int) -> Iterator[None]:
    """A process and its children, until the end of the block."""
    top = psutil.Process(pid)
    all_ = [top, *top.children(recursive=True)]
    for process in all_:
        process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        for process in all_:
            if process.is_running():
                process.send_signal(signal.SIGCONT)
