"""What has to leave the house: written with the change that causes it, delivered afterwards, never lost.

A notification, which operators know as a letter, is delivered at least once. It carries its id as idempotency key, so
that a receiver can tell a repetition.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from handrail.errors import PermanentError, RetryableError


@dataclass(frozen=True, slots=True)
class NewNotification:
    """A notification before it is written: through which channel, to whom, and what it says."""

    channel: str
    target: str
    """For people who read the outbox: a host or an address; secrets stay in the settings."""
    payload: Mapping[str, Any]
    conversation_id: str | None = None
    """The conversation it is about: deleted with it."""


@dataclass(frozen=True, slots=True)
class Notification:
    """A notification on its way. Times are seconds since the epoch."""

    id: str
    tenant: str
    channel: str
    target: str
    payload: Mapping[str, Any]
    attempts: int
    """Deliveries tried, the present one included."""
    created_at: float
    progress: Mapping[str, Any] = field(default_factory=dict)
    """What earlier tries achieved, as the channel noted it."""
    next_at: float = 0.0
    done_at: float | None = None
    dead: bool = False
    error: str | None = None

    @property
    def state(self) -> str:
        return "done" if self.done_at is not None else "dead" if self.dead else "waiting"


Remember = Callable[[Mapping[str, Any]], Awaitable[None]]
"""Notes progress at once, for the next try."""


class Channel(Protocol):
    """A way out of the house."""

    async def send(self, notification: Notification, remember: Remember) -> None:
        """Deliver. Raises Undelivered where another try may help, and Undeliverable where none can."""
        ...


class Undelivered(RetryableError):
    """The receiver is away or busy. `after_s`: how many seconds it asked to be left alone, if it did."""

    def __init__(self, message: str, after_s: float | None = None) -> None:
        super().__init__(message)
        self.after_s = after_s


class Undeliverable(PermanentError):
    """The receiver refuses it, or the channel is not set up."""
