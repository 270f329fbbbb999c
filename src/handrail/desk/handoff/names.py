"""Names of the people at the desk, read once in a while."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from handrail.records.people import People

FRESH_S = 20.0


class Names:
    """User ids to names; another process's new user is known after a moment."""

    def __init__(self, people: People, clock: Callable[[], float]) -> None:
        self._people = people
        self._clock = clock
        self._names: dict[str, str] = {}
        self._read_at = float("-inf")

    async def all(self) -> Mapping[str, str]:
        if abs(self._clock() - self._read_at) > FRESH_S:
            self._names = {user.id: user.name for user in await self._people.all()}
            self._read_at = self._clock()
        return self._names

    def forget(self) -> None:
        """Read again next time."""
        self._read_at = float("-inf")
