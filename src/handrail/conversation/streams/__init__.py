"""Turns whose events are followed while they happen, by whoever holds their id, from any process."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Protocol

from handrail.errors import RetryableError


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a turn."""

    number: int
    """From 1, without gaps."""
    data: str


class OwnerGone(RetryableError):
    """The process that worked on the turn has died; nothing more will come."""


class Followable(Protocol):
    def follow(self, after: int, idle_s: float) -> AsyncIterator[Event | None]:
        """Events numbered above `after`, until the turn is over; None whenever nothing came for `idle_s` seconds.

        Whoever iterates counts as a follower of the turn. Raises OwnerGone.
        """
        ...
