"""A stage with what stands in for it when it fails."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from handrail.errors import HandrailError
from handrail.turn.state import TurnInFlight

S = TypeVar("S")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class WithSpare(Generic[S]):
    """`primary` has `share` of the time left in a turn; `spare` answers where it fails or takes longer."""

    name: str
    """How the turn notes that it went on without the primary one, such as `verify`."""
    share: float
    primary: S
    spare: S | None = None

    async def call(self, turn: TurnInFlight, use: Callable[[S], Awaitable[T]]) -> T:
        """Raises HandrailError where the primary one fails and there is no spare."""
        try:
            return await turn.in_time(use(self.primary), self.share)
        except HandrailError as error:
            turn.go_on_without(self.name, error.reason)
            if self.spare is None:
                raise
        return await use(self.spare)
