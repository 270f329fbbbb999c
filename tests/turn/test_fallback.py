"""A stage with a spare: the first has its share of the time, the other answers where it fails."""

from __future__ import annotations

import asyncio

import pytest

from handrail.errors import BudgetExhausted, PermanentError, RetryableError
from handrail.observe.silent import SilentTrace
from handrail.turn.fallback import WithSpare
from handrail.turn.showing import Showing
from handrail.turn.state import TurnInFlight
from handrail.turn.stopwatch import Stopwatch
from handrail.turn.watch import Nobody
from tests.stages import WORDING, Script, ask, ticking

pytestmark = pytest.mark.anyio


def turn(seconds: float = 30.0) -> TurnInFlight:
    ends = asyncio.get_running_loop().time() + seconds
    return TurnInFlight(ask(), WORDING, SilentTrace("t"), Stopwatch(ticking()), Nobody(), Showing(None), ends)


class Works(Script[str]):
    async def work(self) -> str:
        return await self._run()


async def test_the_first_does_it_and_the_spare_is_left_alone() -> None:
    spare, under_way = Works("spare"), turn()

    done = await WithSpare("work", 0.5, Works("first"), spare).call(under_way, lambda stage: stage.work())

    assert (done, spare.calls, list(under_way.degraded)) == ("first", [], [])


@pytest.mark.parametrize("error", [RetryableError("away"), PermanentError("wrong key"), BudgetExhausted("spent")])
async def test_the_spare_does_it_where_the_first_fails_and_that_is_noted_once(error: Exception) -> None:
    both, under_way = WithSpare("work", 0.5, Works(error), Works("spare")), turn()

    assert [await both.call(under_way, lambda stage: stage.work()) for _ in range(2)] == ["spare", "spare"]
    assert list(under_way.degraded) == ["work"]


async def test_without_a_spare_the_failure_is_the_callers_and_noted() -> None:
    under_way = turn()

    with pytest.raises(PermanentError):
        await WithSpare("work", 0.5, Works(PermanentError("wrong key"))).call(under_way, lambda stage: stage.work())

    assert list(under_way.degraded) == ["work"]


async def test_a_first_that_hangs_is_given_up_after_its_share() -> None:
    hangs, under_way = Works("late", hangs=True), turn(2.0)
    loop = asyncio.get_running_loop()
    start = loop.time()

    done = await WithSpare("work", 0.1, hangs, Works("spare")).call(under_way, lambda stage: stage.work())

    assert done == "spare"
    assert hangs.cancelled
    assert 0.1 < loop.time() - start < 1.9


async def test_a_defect_of_the_first_is_nobody_elses_to_cover() -> None:
    spare = Works("spare")

    with pytest.raises(ValueError, match="a defect"):
        await WithSpare("work", 0.5, Works(ValueError("a defect")), spare).call(turn(), lambda stage: stage.work())

    assert spare.calls == []
