"""Memory that was given back is the system's."""

from __future__ import annotations

import ctypes
import sys

import psutil
import pytest

from handrail.models.allocator import give_back


@pytest.mark.skipif(sys.platform != "linux" or not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="glibc only")
def test_freed_memory_goes_back() -> None:
    process = psutil.Process()
    blocks = [bytearray(50_000) for _ in range(2000)]
    kept = bytearray(50_000)  # above them on the heap, so that its end does not move by itself
    held = process.memory_info().rss
    del blocks

    give_back()

    assert len(kept) == 50_000
    assert process.memory_info().rss < held - 50 * 2**20
