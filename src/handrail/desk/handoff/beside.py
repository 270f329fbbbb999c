"""Threads of the hand-off's own: it waits behind no search, no encoder and no other work of questions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
A = TypeVar("A")

_threads = ThreadPoolExecutor(2, thread_name_prefix="handoff")


async def beside(work: Callable[[A], T], given: A) -> T:
    """`work(given)`, while the loop goes on."""
    return await asyncio.get_running_loop().run_in_executor(_threads, work, given)
