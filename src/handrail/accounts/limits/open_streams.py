"""How many event streams are open at once. Each costs a connection, memory, and looks into the records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from handrail.errors import RetryableError


class TooManyStreams(RetryableError):
    """`scope` is `visitor`, `address` or `global`."""

    def __init__(self, scope: str) -> None:
        super().__init__(f"too many event streams are open ({scope})")
        self.scope = scope


class OpenStreams:
    """Counted in this process, which is what they weigh on; a bound of 0 is none."""

    def __init__(self, per_visitor: int, per_address: int, most: int) -> None:
        self._bounds = {"visitor": per_visitor, "address": per_address, "global": most}
        self._open: Counter[tuple[str, str]] = Counter()

    @contextmanager
    def one(self, visitor_id: str | None = None, address: str | None = None, *, idle: bool = False) -> Iterator[None]:
        """Counts for as long as it is entered. Raises TooManyStreams.

        `idle`: nobody may ever write to it; such streams get no more than half of each bound, so that those which
        somebody waits for find room.
        """
        places = {"visitor": visitor_id, "address": address, "global": ""}
        counted = [(scope, who) for scope, who in places.items() if who is not None]
        for scope, who in counted:
            bound = self._bounds[scope]
            if bound > 0 and (bound // 2 if idle else bound) <= self._open[scope, who]:
                raise TooManyStreams(scope)
        self._open.update(counted)
        try:
            yield
        finally:
            for place in counted:
                self._open[place] -= 1
                if not self._open[place]:
                    del self._open[place]

    def __len__(self) -> int:
        """Streams that are open."""
        return self._open["global", ""]
