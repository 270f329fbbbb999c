"""What the processor can do that decides how a quantised model is read."""

from __future__ import annotations

import platform
import re
from functools import cache
from pathlib import Path

CPUINFO, MACHINE = Path("/proc/cpuinfo"), platform.machine()
FLAGS = re.compile(r"^flags\s*:\s*(?P<flags>.*)$", re.M)
VNNI = frozenset({"avx_vnni", "avx512_vnni"})
"""Instructions that sum products of bytes in 32 bits."""


@cache
def overflows(cpuinfo: Path = CPUINFO, machine: str = MACHINE) -> bool:
    """Whether sums of products of bytes may overflow: on x86-64 without VNNI, as far as the system tells (Linux)."""
    if machine.lower() not in ("x86_64", "amd64"):
        return False
    try:
        found = FLAGS.search(cpuinfo.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return False
    return found is not None and not VNNI & set(found["flags"].split())
