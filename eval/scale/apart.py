"""A stage of a measurement in a process of its own, and what that process uses."""

from __future__ import annotations

import multiprocessing
import resource
import sys
from collections.abc import Callable
from multiprocessing.connection import Connection

import psutil

from handrail.settings import Settings

Figures = dict[str, float]
Says = Callable[[str], None]
"""Called with a line about how far a stage has come."""
Stage = Callable[[Settings, int, Says], Figures]
MB = 1 << 20


def apart(stage: Stage, settings: Settings, count: int, says: Says) -> Figures:
    """Raises RuntimeError where the process ended without figures."""
    context = multiprocessing.get_context("spawn")
    hears, tells = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(stage, settings, count, tells))
    process.start()
    tells.close()
    try:
        while isinstance(heard := hears.recv(), str):
            says(heard)
    except EOFError:
        raise RuntimeError(f"{stage.__name__} of {count:,} passages has failed") from None
    finally:
        process.join()
    figures: Figures = heard
    return figures


def _run(stage: Stage, settings: Settings, count: int, tells: Connection) -> None:
    figures = stage(settings, count, tells.send)
    tells.send({**figures, "load": psutil.getloadavg()[0]})


def own_mb() -> float:
    """Memory of this process that is not a file mapped into it, which others share and which can be let go of."""
    used = psutil.Process().memory_info()
    return float((used.rss - getattr(used, "shared", 0)) / MB)


def mapped_mb() -> float:
    """The files mapped into this process, as far as they are in memory."""
    return float(getattr(psutil.Process().memory_info(), "shared", 0) / MB)


def peak_mb() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (MB if sys.platform == "darwin" else 1024)
