"""What loading needed and running does not is handed back to the system, where the C library can."""

from __future__ import annotations

import ctypes
import sys


def give_back() -> bool:
    """Whether anything was. Files of weights are read whole before they are taken apart, and glibc keeps the room."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform.startswith("linux") else None
    return bool(trim(0)) if trim is not None else False
