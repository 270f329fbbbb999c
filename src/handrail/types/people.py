"""Whether anybody is there, and so what may be said about people at all."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Availability(StrEnum):
    """How far a request for a person reaches right now."""

    ON = "on"
    """Within hours, and somebody is at the desk."""
    AWAY = "away"
    """Within hours, but nobody is at the desk: a request waits."""
    CLOSED = "closed"
    """Outside hours: a request waits until the desk opens."""
    OFF = "off"
    """Requests are read by nobody."""


@dataclass(frozen=True, slots=True)
class People:
    """What is known of the desk at one moment."""

    availability: Availability = Availability.ON
    as_of: datetime | None = None
    """The moment, in the desk's time zone."""
    opens_at: datetime | None = None
    """When a closed desk opens, in its own time zone; None where it is not known to."""
    wait_s: float | None = None
    """Seconds half the recent visitors waited at this time of day; None where too little is known."""
    wait_most_s: float | None = None
    """Seconds within which four of five were answered."""
    away_text: str = ""
    """The operator's own words for when nobody is there."""

    @property
    def there(self) -> bool:
        return self.availability is Availability.ON

    @property
    def reachable(self) -> bool:
        """Whether a request is read at all, now or later."""
        return self.availability is not Availability.OFF


PRESENT = People()
NOBODY = People(Availability.OFF)
