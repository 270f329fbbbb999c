"""Who writes next."""

from __future__ import annotations

import asyncio

import pytest

from handrail.records.line import Line

pytestmark = pytest.mark.anyio


async def test_whoever_comes_first_by_right_goes_before_all_others_that_wait() -> None:
    line, done, everybody_is_there = Line(60), [], asyncio.Event()

    async def work(name: str, *, first: bool = False) -> None:
        async with line.turn(first=first):
            await everybody_is_there.wait()
            done.append(name)

    async with asyncio.TaskGroup() as group:
        for name in ("a", "b", "c"):
            group.create_task(work(name))
        await asyncio.sleep(0)
        for name in ("person", "other person"):
            group.create_task(work(name, first=True))
        await asyncio.sleep(0)
        everybody_is_there.set()

    assert done == ["a", "person", "other person", "b", "c"]


async def test_one_is_inside_at_a_time_whoever_gives_up() -> None:
    line, inside, most = Line(60), 0, 0

    async def work(number: int) -> None:
        nonlocal inside, most
        async with line.turn(first=number % 5 == 0):
            inside += 1
            most = max(most, inside)
            try:
                await asyncio.sleep(0.0005 * (number % 3))
            finally:
                inside -= 1

    tasks = [asyncio.create_task(work(number)) for number in range(200)]
    for number in range(0, 200, 3):
        await asyncio.sleep(0)
        tasks[number].cancel()
    ends = await asyncio.gather(*tasks, return_exceptions=True)
    async with asyncio.timeout(5), line.turn(first=False):
        pass

    assert most == 1
    assert sum(end is None for end in ends) >= 200 - 67


async def test_nobody_waits_for_ever() -> None:
    line = Line(0.01)
    async with line.turn(first=False):
        with pytest.raises(TimeoutError):
            async with line.turn(first=True):
                pass
    async with line.turn(first=False):
        pass
