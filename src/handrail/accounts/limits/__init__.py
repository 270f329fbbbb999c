"""How often one visitor, and everybody together, may ask in a calendar minute, hour or UTC day."""

from dataclasses import dataclass
from typing import Protocol

from handrail.errors import RetryableError


@dataclass(frozen=True, slots=True)
class Allowed:
    """Counted in every scope."""


@dataclass(frozen=True, slots=True)
class Denied:
    """Refused, and counted nowhere."""

    scope: str
    """The used-up scope with the longest wait, such as `visitor_day`."""
    retry_after_s: int
    """Whole seconds until that window ends, at least 1."""


class LimitsUnavailable(RetryableError):
    """The shared counters cannot be reached, and counting alone would not hold the limit."""


class Limiter(Protocol):
    async def hit(self, visitor: str | None) -> Allowed | Denied:
        """Count one request of `visitor` in all scopes at once, or in none. Raises LimitsUnavailable.

        None is a program with a key: it counts only in the scopes of everybody together.
        """
        ...

    async def give_back(self, visitor: str | None) -> None:
        """The latest request of `visitor` should not count after all."""
        ...
