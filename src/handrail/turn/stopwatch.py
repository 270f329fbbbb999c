"""Milliseconds per stage of one turn."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Stopwatch:
    """`clock` returns seconds, as `time.perf_counter` does."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._start = clock()
        self._laps: dict[str, float] = {}

    @contextmanager
    def lap(self, name: str) -> Iterator[None]:
        start = self._clock()
        try:
            yield
        finally:
            self._laps[name] = self._laps.get(name, 0.0) + (self._clock() - start) * 1000

    def laps(self) -> dict[str, float]:
        """Each lap and the `total` so far, rounded to a tenth of a millisecond."""
        return {k: round(v, 1) for k, v in {**self._laps, "total": (self._clock() - self._start) * 1000}.items()}
