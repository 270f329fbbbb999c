"""Who is said to be there, and how long visitors are told to wait."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from handrail.desk.handoff.availability import Rota
from handrail.desk.handoff.waits import Waited, expected
from handrail.errors import RetryableError
from handrail.settings import Settings
from handrail.types.people import Availability

pytestmark = pytest.mark.anyio

MONDAY_10 = 1_795_428_000.0 + 10 * 3600 - 1_795_428_000.0 % 86_400
"""10:00 UTC."""


@dataclass
class Agents:
    there: bool = True
    fails: bool = False

    async def anybody(self) -> bool:
        if self.fails:
            raise RetryableError("no answer")
        return self.there


@dataclass
class Recent:
    seconds: Sequence[float | None] = ()
    asked: list[float] = field(default_factory=list)

    async def since(self, moment: float) -> Sequence[tuple[float, float | None]]:
        self.asked.append(moment)
        return [(MONDAY_10, None if wait is None else MONDAY_10 + wait) for wait in self.seconds]


def rota(agents: Agents | None = None, recent: Recent | None = None, **sections: dict[str, Any]) -> Rota:
    return Rota(Settings.model_validate(sections), lambda: MONDAY_10, agents, recent)


@pytest.mark.parametrize(
    ("sections", "agents", "availability"),
    [
        ({}, Agents(), Availability.ON),
        ({}, None, Availability.ON),
        ({}, Agents(there=False), Availability.AWAY),
        ({}, Agents(fails=True), Availability.AWAY),
        ({"hours": {"presence": False}}, Agents(there=False), Availability.ON),
        ({"hours": {"weekly": {"mon": ["11:00-12:00"]}}}, Agents(), Availability.CLOSED),
        ({"brand": {"person_available": False}}, Agents(), Availability.OFF),
    ],
)
async def test_somebody_is_there_within_hours_and_at_the_desk(
    sections: dict[str, Any], agents: Agents | None, availability: Availability
) -> None:
    assert (await rota(agents, **sections).people()).availability is availability


async def test_a_closed_desk_says_when_it_opens() -> None:
    people = await rota(
        hours={"weekly": {day: ["11:00-12:00"] for day in ("mon", "tue", "wed", "thu", "fri")}}
    ).people()

    assert people.opens_at is not None
    assert people.opens_at.hour == 11


async def test_the_wait_is_read_once_a_minute_and_only_told_while_somebody_is_there() -> None:
    recent = Recent([60.0] * 6 + [300.0] * 4)
    watched = rota(Agents(), recent)

    people = await watched.people()
    await watched.people()

    assert (people.wait_s, people.wait_most_s) == (60.0, 300.0)
    assert recent.asked == [MONDAY_10 - 28 * 86_400]
    assert (await rota(Agents(there=False), recent).people()).wait_s is None


def waits(*seconds: float | None, hour: int = 10) -> list[Waited]:
    return [Waited(hour, wait) for wait in seconds]


def test_too_few_hand_offs_are_no_data() -> None:
    assert expected(waits(*[60.0] * 9), 10, least=10) is None
    assert expected([], 10, least=3) is None


def test_only_this_time_of_day_counts_and_the_day_is_a_circle() -> None:
    found = expected([*waits(*[60.0] * 5, hour=23), *waits(*[600.0] * 50, hour=12)], 0, least=5)

    assert found is not None
    assert (found.median_s, found.most_s, found.n) == (60.0, 60.0, 5)


def test_those_nobody_answered_count_as_endless() -> None:
    few, many = waits(*[60.0] * 7, *[None] * 3), waits(*[60.0] * 4, *[None] * 6)

    found = expected(few, 10, least=10)

    assert found is not None
    assert (found.median_s, found.most_s) == (60.0, None)
    assert expected(many, 10, least=10) is None
