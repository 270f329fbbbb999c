"""A store in this process."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable


class InProcessStore:
    """Holds at most `most` values, each for `ttl_s` seconds; the oldest go first. `clock` returns seconds."""

    def __init__(self, ttl_s: float, most: int, clock: Callable[[], float]) -> None:
        self._ttl_s = ttl_s
        self._most = most
        self._clock = clock
        self._held: OrderedDict[str, tuple[float, bytes]] = OrderedDict()

    async def get(self, key: str) -> bytes | None:
        self._drop_old()
        found = self._held.get(key)
        return found[1] if found is not None else None

    async def put(self, key: str, value: bytes) -> None:
        self._held.pop(key, None)
        self._held[key] = self._clock() + self._ttl_s, value
        self._drop_old()

    async def drop(self, key: str) -> None:
        self._held.pop(key, None)

    async def aclose(self) -> None:
        self._held.clear()

    def __len__(self) -> int:
        return len(self._held)

    def _drop_old(self) -> None:
        """All live equally long, so the oldest are first."""
        while self._held:
            until, _ = next(iter(self._held.values()))
            if len(self._held) <= self._most and until > self._clock():
                return
            self._held.popitem(last=False)
